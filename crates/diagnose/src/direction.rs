//! The figures of each direction under load.

use std::collections::BTreeSet;

use observation::{Ended, Heading, Load, Stage};
use results::{
    BothLoaded, Certainty, DelaySpread, Finding, FindingKind, LoadedDirection, Measurement,
    OwnInterface, QueueFinding, QueueKind,
};

use crate::both::beside;
use crate::buffer::buffer;
use crate::busy::{busy, fastest};
use crate::by_chance::by_chance;
use crate::call::call;
use crate::certainty::certainty;
use crate::drops::{Drops, Lengths};
use crate::favoured::handshakes;
use crate::findings::findings;
use crate::flow::Flow;
use crate::machine::lateness;
use crate::others::most_of_others;
use crate::pages::pages;
use crate::processors::processors;
use crate::queue::{MAY_BE, Smaller, UNKNOWN, kind};
use crate::quiet::Quiet;
use crate::series::series;
use crate::signs::{EVER_LONGEST, LONGEST, Shown, Signs, at_loss, flow_delay, sent_again};
use crate::spread::Weighted;
use crate::tail;
use crate::traffic::Traffic;
use crate::view::View;
use crate::window::Window;

/// The highest confidence of a kind that follows from handshakes alone.
const MOST_BY_HANDSHAKES: f64 = 0.6;

/// Bytes of a flow that a request and some small segments may have; these may pass where large
/// packets do not.
const SOME: u64 = 4096;

/// The least part of a window's drops that fall into its later half, if a policer causes them.
const STILL_DROPS: f64 = 0.4;

/// All results but the test's own facts and the places of the queues.
pub(crate) fn measurement(view: &View<'_>) -> Measurement {
    let find = |load, heading| loaded(view, heading, view.stage(load)?);
    let alone = |heading| find(Load::One(heading), heading);
    let [download, upload] = [Heading::Down, Heading::Up].map(alone);
    let both = find(Load::Both, Heading::Down).zip(find(Load::Both, Heading::Up));
    let both = both.map(|(down, up)| BothLoaded {
        download: beside(download.as_ref(), down),
        upload: beside(upload.as_ref(), up),
    });
    let found = Measurement {
        duration_s: duration(view),
        idle_ms: idle_ms(view),
        download,
        upload,
        both,
        page: pages(view),
        processors: processors(view),
        interface: view.seen.interface.as_ref().map(|own| OwnInterface {
            name: own.name.clone(),
            wireless: own.wireless,
            qdisc: own.qdisc.clone(),
        }),
        ecn: view.seen.ecn,
        series: Some(series(view)),
        ..Measurement::default()
    };
    Measurement { call: call(view, &found), ..found }
}

fn duration(view: &View<'_>) -> f64 {
    let ends = view.seen.stages.iter().map(|stage| view.clock.ours(stage.end));
    ends.fold(0.0, f64::max)
}

/// The median round trip of probes during the idle stage, in milliseconds; `None` if none came
/// back.
fn idle_ms(view: &View<'_>) -> Option<f64> {
    if view.is_by_handshakes {
        return crate::handshakes::at_rest(view.seen).map(|span| span.as_secs_f64() * 1e3);
    }
    let idle = Window::of(view.stage(Load::Idle)?, &view.clock);
    let stream = view.seen.probes.iter().find(|stream| stream.dscp == 0);
    let stream = stream.or(view.seen.probes.first())?;
    let within = stream.probes.iter().filter(|probe| {
        let at = view.clock.ours(probe.sent);
        at >= idle.from && at < idle.to
    });
    let round_trips = within.filter_map(|probe| view.clock.round_trip(probe));
    Weighted::evenly(round_trips).quantile(0.5).map(|seconds| seconds * 1e3)
}

/// The results of a direction in a stage; `None` if there were no flows, or none of their large
/// packets were delivered.
fn loaded(view: &View<'_>, heading: Heading, stage: &Stage) -> Option<LoadedDirection> {
    let traffic = view.traffic(heading);
    let whole = Window::of(stage, &view.clock);
    let flows = view.loading(heading, &whole);
    let brought = |flow: &&Flow<'_>| flow.seen.received.last().map_or(0, |receipt| receipt.bytes.0);
    if flows.iter().all(|flow| brought(flow) < SOME) {
        return None;
    }
    let settled = whole.settled(&traffic);
    traffic.flux(settled.from, settled.to)?;
    let (signs, retransmitted) = signs(view, heading, &flows, &whole, &settled);
    let small = small(view, heading);
    let rate_of_small = small.as_ref().map(|(small, _)| small.busy.flux.bytes);
    let findings = findings(view, heading, &settled, &signs, rate_of_small);
    // Where nobody else uses the line, a higher rate of small packets is no part of its rate.
    let shared = small.as_ref().filter(|_| FindingKind::OtherTraffic.is_in(&findings));
    let signs = shared.map_or(signs, |(small, _)| signs.beside(small));
    // Large and small packets are compared only where nothing else differs.
    let alone = small.filter(|_| matches!(stage.load, Load::One(_)));
    let smaller = alone.and_then(|(small, ended)| smaller(&signs, &small, ended));
    let queue = kind(&signs, &findings, smaller);
    // A handful of handshakes shows less than hundreds of probes.
    let most = if view.is_by_handshakes { MOST_BY_HANDSHAKES } else { 1.0 };
    let queue = QueueFinding { confidence: queue.confidence.min(most), ..queue };
    let (queue, window) = once_policed(queue, settled, &flows);
    let is_open = findings.iter().any(|one| one.kind.forbids_kind());
    let flux = traffic.flux(window.from, window.to)?;
    let mbit = |bytes: f64| Some(bytes * 8e-6);
    let added = added(&traffic, &window, &findings);
    let certainty = certainty(&traffic, &window, &added);
    // Handshakes tell when a SYN was lost, but not which part of packets is.
    let loss = window.loss(traffic.passages).filter(|_| !view.is_by_handshakes);
    let certainty = Certainty { loss: certainty.loss.filter(|_| loss.is_some()), ..certainty };
    Some(tail::seen(LoadedDirection {
        window_s: [window.from, window.to],
        rate_mbit: mbit(flux.bytes),
        goodput_mbit: mbit(flux.payload),
        added_delay_ms: added,
        flow_delay_ms: flow_delay(&flows, &window, view.least_round_trip()).delay(),
        opposite_delay_ms: window.spread(view.passages.heading(heading.opposite())).delay(),
        loss,
        retransmitted,
        certainty,
        buffer: buffer(&signs, queue, &findings, certainty.rate_mbit, stage.ended),
        queue: Some(queue),
        others_part: most_of_others(view, heading, &signs),
        saturated: !is_open && (signs.is_filled(&findings) || is_policed(queue)),
        findings,
        flows: u32::try_from(flows.len()).unwrap_or(u32::MAX),
        congestion: congestion(&flows),
        ..LoadedDirection::default()
    }))
}

/// The probes' delay in the path; empty where a machine was the limit, since packets that wait in
/// it are in no queue of the path.
fn added(traffic: &Traffic<'_>, window: &Window, findings: &[Finding]) -> DelaySpread {
    match FindingKind::MachineLimits.is_in(findings) {
        true => DelaySpread::default(),
        false => window.spread(traffic.passages).delay(),
    }
}

/// The queue, and the window that shows it: a policer first passes what is in its bucket, and drops
/// all the time from then on. A queue that does not is no policer.
fn once_policed(
    queue: QueueFinding,
    settled: Window,
    flows: &[&Flow<'_>],
) -> (QueueFinding, Window) {
    if !is_policed(queue) {
        return (queue, settled);
    }
    let later = settled.later_half();
    let [all, late] = [&settled, &later].map(|window| sent_again(flows, window).unwrap_or(0.0));
    if late >= STILL_DROPS * all { (queue, later) } else { (UNKNOWN, settled) }
}

/// True if a policer limits the rate.
fn is_policed(queue: QueueFinding) -> bool {
    queue.kind == QueueKind::Policer && queue.confidence > MAY_BE
}

/// The names of the flows' congestion controls, each once.
fn congestion(flows: &[&Flow<'_>]) -> String {
    let names: BTreeSet<&str> = flows.iter().map(|flow| flow.seen.congestion.as_str()).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// The signs of this direction's queue, and the part of segments that were retransmitted.
pub(crate) fn signs(
    view: &View<'_>,
    heading: Heading,
    flows: &[&Flow<'_>],
    whole: &Window,
    window: &Window,
) -> (Signs, Option<f64>) {
    let traffic = view.traffic(heading);
    let again = sent_again(flows, window);
    let settled = Shown::new(traffic.passages, window, LONGEST, again);
    let stage = Shown::new(traffic.passages, whole, EVER_LONGEST, sent_again(flows, whole));
    let busy = busy(&traffic, window, settled.longest).unwrap_or_default();
    let largest = flows.iter().map(|flow| flow.largest).fold(0.0, f64::max);
    let packet = stats::ratio(largest, busy.flux.bytes).unwrap_or(0.0);
    let back = window.spread(view.passages.heading(heading.opposite()));
    let quartile = |count: f64| back.quantile(0.25 * count).unwrap_or(0.0);
    let (back, doubt) = (quartile(2.0), (quartile(3.0) - quartile(1.0)) / 2.0);
    let least = view.least_round_trip() + packet + back;
    let (passages, longest) = (traffic.passages, stage.longest.max(settled.longest));
    let drops = Drops::new(flows, &Lengths { passages, stage: whole, longest, packet, least });
    let signs = Signs {
        settled,
        stage,
        at_loss: at_loss(passages, window).or_else(|| at_loss(passages, whole)),
        drops,
        // The way back adds a varying delay, which is not known for each round trip.
        flows: flow_delay(flows, window, least + doubt).quantile(0.5).unwrap_or(0.0),
        noise: view.noise(heading).0,
        late: lateness(view, window),
        quiet: match view.is_by_load {
            true => Quiet::of_load(view, heading, packet),
            false => Quiet::new(view, heading),
        },
        by_chance: view.is_by_load.then(|| by_chance(view, heading)),
        marks: view.marks,
        handshakes: handshakes(view, window),
        in_pieces: flows.iter().any(|flow| flow.in_pieces),
        packet,
        carried: traffic.flux(window.from, window.to).unwrap_or_default().bytes,
        fastest: fastest(&traffic, whole),
        busy,
    };
    (signs, again)
}

/// The signs of the queue when this direction alone was loaded with small packets, and the end of
/// that stage; `None` if there was no such stage.
fn small(view: &View<'_>, heading: Heading) -> Option<(Signs, Ended)> {
    let stage = view.stage(Load::Small(heading))?;
    let whole = Window::of(stage, &view.clock);
    let flows = view.loading(heading, &whole);
    let window = whole.settled(&view.traffic(heading));
    let (signs, _) = self::signs(view, heading, &flows, &whole, &window);
    Some((signs, stage.ended))
}

/// The longest delay with small packets relative to large ones; `None` if they did not fill the
/// queue as large ones did.
fn smaller(large: &Signs, small: &Signs, ended: Ended) -> Option<Smaller> {
    let is_full = small.stage.drops() && ended != Ended::StillGrowing && large.stage.drops();
    is_full.then_some(Smaller {
        measured: stats::ratio(small.longest(), large.longest())?,
        by_packets: stats::ratio(large.busy.flux.packets, small.busy.flux.packets)?,
        by_bytes: stats::ratio(large.busy.flux.bytes, small.busy.flux.bytes)?,
    })
}

#[cfg(test)]
mod tests;
