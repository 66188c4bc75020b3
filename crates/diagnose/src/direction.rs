//! The figures of each direction under load.

use std::collections::BTreeSet;

use observation::{Ended, Heading, Load, Observations, ProbeStream, Stage};
use results::{
    BothLoaded, Certainty, DelaySpread, Finding, FindingKind, LoadedDirection, Measurement,
    OwnInterface, QueueFinding, QueueKind,
};
use units::Time;

use crate::both::beside;
use crate::buffer::buffer;
use crate::busy::{busy, fastest};
use crate::call::call;
use crate::certainty::certainty;
use crate::clock::Clock;
use crate::drops::{Drops, Lengths};
use crate::favoured::handshakes;
use crate::findings::{findings, has};
use crate::flow::Flow;
use crate::machine::lateness;
use crate::others::most_of_others;
use crate::pages::{self, pages};
use crate::passage::{Fate, Passage, Passages, between};
use crate::processors::processors;
use crate::queue::{MAY_BE, Smaller, UNKNOWN, kind};
use crate::quiet::{Quiet, noise};
use crate::series::series;
use crate::signs::{EVER_LONGEST, LONGEST, Shown, Signs, at_loss, flow_delay, sent_again};
use crate::spread::Weighted;
use crate::tail;
use crate::traffic::Traffic;
use crate::window::Window;

/// The highest confidence of a kind that follows from handshakes alone.
const MOST_BY_HANDSHAKES: f64 = 0.6;

/// Bytes of a flow that a request and some small segments may have: these may pass where large
/// packets do not.
const SOME: u64 = 4096;

/// The least part of a window's drops that fall into its later half, if a policer causes them.
const STILL_DROPS: f64 = 0.4;

/// All observations on one clock.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) seen: &'a Observations,
    /// The beginning of the test, by the client's clock.
    pub(crate) beginning: Time,
    pub(crate) clock: Clock,
    pub(crate) passages: Passages,
    /// True if no probe was answered, so that the passages are those of TCP handshakes.
    pub(crate) is_by_handshakes: bool,
    /// Bytes of a probe as an IP packet.
    pub(crate) probe: f64,
    /// All other streams of small packets, with their bytes.
    others: Vec<(Passages, f64)>,
    /// Pages that were loaded: begin and end in seconds, and their bytes.
    came: Vec<(f64, f64, f64)>,
    /// The times of new connections beside the load, and of echo requests that were answered, in
    /// seconds.
    foreign: Vec<f64>,
    pings: Vec<f64>,
    /// The times of packets that a hop answered, in seconds.
    hops: Vec<f64>,
    pub(crate) flows: Vec<Flow<'a>>,
}

impl<'a> View<'a> {
    pub(crate) fn new(seen: &'a Observations) -> Self {
        let beginning = beginning(seen);
        let clock = Clock::new(seen, beginning);
        let path = Passages::stream_of_the_path(seen);
        let is_by_handshakes = crate::handshakes::is_needed(seen);
        let (passages, probe) = if is_by_handshakes {
            (crate::handshakes::passages(seen, &clock), crate::handshakes::BYTES)
        } else {
            let passages = path.map_or_else(Default::default, |path| Passages::new(path, &clock));
            (passages, path.map_or(0.0, |path| path.bytes.0 as f64))
        };
        let is_other = |other: &&ProbeStream| path.is_none_or(|path| !std::ptr::eq(path, *other));
        let others = seen.probes.iter().filter(is_other).chain(&seen.voice);
        let others =
            others.map(|other| (Passages::new(other, &clock), other.bytes.0 as f64)).collect();
        let flows = Flow::all(seen, &clock);
        let came = pages::came(seen, &clock);
        let answered = seen.pings.iter().filter(|ping| ping.returned.is_some());
        let pings = answered.map(|ping| clock.ours(ping.sent)).collect();
        let foreign = seen.foreign.iter().map(|one| clock.ours(one.at)).collect();
        let hops = seen.hops.iter().filter(|hop| hop.answer.is_some());
        let mut hops: Vec<f64> = hops.map(|hop| clock.ours(hop.sent)).collect();
        hops.sort_unstable_by(f64::total_cmp);
        Self {
            seen,
            beginning,
            clock,
            passages,
            is_by_handshakes,
            probe,
            others,
            came,
            foreign,
            pings,
            hops,
            flows,
        }
    }

    pub(crate) fn traffic(&self, heading: Heading) -> Traffic<'_> {
        Traffic {
            flows: &self.flows,
            heading,
            passages: self.passages.heading(heading),
            probe: self.probe,
            others: &self.others,
            pages: &self.came,
            foreign: &self.foreign,
            pings: &self.pings,
            hops: &self.hops,
            ipv6: self.seen.ipv6,
        }
    }

    /// The flows that load this direction in the window.
    pub(crate) fn loading(&self, heading: Heading, window: &Window) -> Vec<&Flow<'a>> {
        let flows = self.flows.iter().filter(|flow| flow.seen.heading == heading);
        flows.filter(|flow| flow.ran(window.from, window.to)).collect()
    }

    /// The least round trip in seconds, of all flows and probes.
    pub(crate) fn least_round_trip(&self) -> f64 {
        let samples = self.flows.iter().flat_map(|flow| &flow.seen.sender);
        let least = samples.filter_map(|sample| sample.min_rtt).map(units::Span::as_secs_f64);
        least.chain(self.clock.least_round_trip()).fold(f64::INFINITY, f64::min)
    }

    /// The wait on the idle path at this quantile, in seconds.
    pub(crate) fn idle_wait(&self, heading: Heading, part: f64) -> f64 {
        let idle = self.stage(Load::Idle).map(|stage| Window::of(stage, &self.clock));
        let spread = idle.map(|idle| idle.spread(self.passages.heading(heading)));
        spread.and_then(|spread| spread.quantile(part)).unwrap_or(0.0)
    }

    /// The waits of probes on the idle path, in seconds: the most that machines add, and the median
    /// of all waits.
    pub(crate) fn noise(&self, heading: Heading) -> (f64, f64) {
        let Some(stage) = self.stage(Load::Idle) else { return (0.0, 0.0) };
        let (idle, passages) = (Window::of(stage, &self.clock), self.passages.heading(heading));
        (noise(passages, &idle), self.idle_wait(heading, 0.5))
    }

    /// The longest stage with this load.
    pub(crate) fn stage(&self, load: Load) -> Option<&'a Stage> {
        let stages = self.seen.stages.iter().filter(|stage| stage.load == load);
        stages.max_by_key(|stage| stage.end.since(stage.start))
    }
}

/// The beginning of the test: its first stage, or else its first probe.
fn beginning(observations: &Observations) -> Time {
    let stage = observations.stages.iter().map(|stage| stage.start).min();
    let probe = observations.probes.iter().flat_map(|stream| &stream.probes).map(|one| one.sent);
    stage.or_else(|| probe.min()).unwrap_or_default()
}

/// Everything but the test's own facts, and the places of the queues.
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
        series: Some(series(view)),
        ..Measurement::default()
    };
    Measurement { call: call(view, &found), ..found }
}

fn duration(view: &View<'_>) -> f64 {
    let ends = view.seen.stages.iter().map(|stage| view.clock.ours(stage.end));
    ends.fold(0.0, f64::max)
}

/// The median round trip of probes during the idle stage, in milliseconds.
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

/// One direction in one stage; `None` if there were no flows, or none of their large packets
/// arrived.
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
    let shared = small.as_ref().filter(|_| has(&findings, FindingKind::OtherTraffic));
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
    let loss = loss(traffic.passages, &window).filter(|_| !view.is_by_handshakes);
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
    match has(findings, FindingKind::MachineLimits) {
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

/// True if a policer limits its rate.
fn is_policed(queue: QueueFinding) -> bool {
    queue.kind == QueueKind::Policer && queue.confidence > MAY_BE
}

/// The names of the flows' congestion controls, each once.
fn congestion(flows: &[&Flow<'_>]) -> String {
    let names: BTreeSet<&str> = flows.iter().map(|flow| flow.seen.congestion.as_str()).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// The signs of this direction's queue, and the part of segments that were retransmitted.
fn signs(
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
        quiet: Quiet::new(view, heading),
        handshakes: handshakes(view, window),
        in_pieces: flows.iter().any(|flow| flow.in_pieces),
        packet,
        carried: traffic.flux(window.from, window.to).unwrap_or_default().bytes,
        fastest: fastest(&traffic, whole),
        busy,
    };
    (signs, again)
}

/// The signs of the queue when it alone was loaded with small packets, and the end of that stage.
fn small(view: &View<'_>, heading: Heading) -> Option<(Signs, Ended)> {
    let stage = view.stage(Load::Small(heading))?;
    let whole = Window::of(stage, &view.clock);
    let flows = view.loading(heading, &whole);
    let window = whole.settled(&view.traffic(heading));
    let (signs, _) = self::signs(view, heading, &flows, &whole, &window);
    Some((signs, stage.ended))
}

/// The longest delay with small packets relative to large ones, if they filled the queue as large
/// ones did.
fn smaller(large: &Signs, small: &Signs, ended: Ended) -> Option<Smaller> {
    let is_full = small.stage.drops() && ended != Ended::StillGrowing && large.stage.drops();
    is_full.then_some(Smaller {
        measured: stats::ratio(small.longest(), large.longest())?,
        by_packets: stats::ratio(large.busy.flux.packets, small.busy.flux.packets)?,
        by_bytes: stats::ratio(large.busy.flux.bytes, small.busy.flux.bytes)?,
    })
}

/// The part of probes that were lost; `None` without probes.
pub(crate) fn loss(passages: &[Passage], window: &Window) -> Option<f64> {
    let within = between(passages, window.from, window.to);
    let count = |which: fn(&Fate) -> bool| {
        within.iter().filter(|passage| which(&passage.fate)).count() as f64
    };
    let lost = count(|fate| matches!(fate, Fate::Lost));
    stats::ratio(lost, lost + count(|fate| matches!(fate, Fate::Waited(_))))
}

#[cfg(test)]
mod tests;
