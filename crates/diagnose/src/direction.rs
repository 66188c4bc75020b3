//! The figures of each direction under load.

use results::observation::{Heading, Load, Observations, Stage};
use results::{BothLoaded, LoadedDirection, Measurement};
use units::Time;

use crate::clock::Clock;
use crate::flow::Flow;
use crate::passage::{Fate, Passages, between};
use crate::series::series;
use crate::spread::Weighted;
use crate::traffic::Traffic;
use crate::window::Window;

/// All observations on one clock.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) seen: &'a Observations,
    /// When it began, by our clock.
    pub(crate) beginning: Time,
    pub(crate) clock: Clock,
    pub(crate) passages: Passages,
    /// Bytes of a probe as an IP packet.
    pub(crate) probe: f64,
    pub(crate) flows: Vec<Flow<'a>>,
}

impl<'a> View<'a> {
    pub(crate) fn new(seen: &'a Observations) -> Self {
        let beginning = beginning(seen);
        let clock = Clock::new(seen, beginning);
        let (passages, probe) = Passages::of_the_path(seen, &clock);
        let flows = Flow::all(seen, &clock);
        Self { seen, beginning, clock, passages, probe: probe as f64, flows }
    }

    pub(crate) fn traffic(&self, heading: Heading) -> Traffic<'_> {
        Traffic {
            flows: &self.flows,
            heading,
            passages: self.passages.heading(heading),
            probe: self.probe,
        }
    }

    /// The longest stage with this load.
    pub(crate) fn stage(&self, load: Load) -> Option<&'a Stage> {
        let stages = self.seen.stages.iter().filter(|stage| stage.load == load);
        stages.max_by_key(|stage| stage.end.since(stage.start))
    }
}

/// When the test began: its first stage, or else its first probe.
fn beginning(observations: &Observations) -> Time {
    let stage = observations.stages.iter().map(|stage| stage.start).min();
    let probe = observations.probes.iter().flat_map(|stream| &stream.probes).map(|one| one.sent);
    stage.or_else(|| probe.min()).unwrap_or_default()
}

pub(crate) fn measurement(view: &View<'_>) -> Measurement {
    let one = |heading| loaded(view, heading, view.stage(Load::One(heading))?);
    let both = |heading| loaded(view, heading, view.stage(Load::Both)?);
    let both = both(Heading::Down)
        .zip(both(Heading::Up))
        .map(|(download, upload)| BothLoaded { download, upload });
    Measurement {
        duration_s: duration(view),
        idle_ms: idle_ms(view),
        download: one(Heading::Down),
        upload: one(Heading::Up),
        both,
        series: Some(series(view.seen, &view.clock, &view.flows)),
        ..Measurement::default()
    }
}

fn duration(view: &View<'_>) -> f64 {
    let ends = view.seen.stages.iter().map(|stage| view.clock.ours(stage.end));
    ends.fold(0.0, f64::max)
}

/// The median round trip of probes while nothing was loaded.
fn idle_ms(view: &View<'_>) -> Option<f64> {
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

/// One direction in one stage; nothing if there were no flows.
fn loaded(view: &View<'_>, heading: Heading, stage: &Stage) -> Option<LoadedDirection> {
    let traffic = view.traffic(heading);
    let whole = Window::of(stage, &view.clock);
    let flows: Vec<&Flow<'_>> = view
        .flows
        .iter()
        .filter(|flow| flow.seen.heading == heading && flow.ran(whole.from, whole.to))
        .collect();
    let first = flows.first()?;
    let window = whole.settled(&traffic);
    let flux = traffic.flux(window.from, window.to);
    let mbit = |bytes: f64| bytes * 8e-6;
    Some(LoadedDirection {
        window_s: [window.from, window.to],
        rate_mbit: flux.map(|flux| mbit(flux.bytes)),
        goodput_mbit: flux.map(|flux| mbit(flux.payload)),
        added_delay_ms: window.spread(traffic.passages).delay(),
        flow_delay_ms: flow_delay(view, &flows, &window).delay(),
        opposite_delay_ms: window.spread(view.passages.heading(other(heading))).delay(),
        loss: loss(&traffic, &window),
        retransmitted: retransmitted(&flows, &window),
        flows: u32::try_from(flows.len()).unwrap_or(u32::MAX),
        congestion: first.seen.congestion.clone(),
        ..LoadedDirection::default()
    })
}

fn other(heading: Heading) -> Heading {
    match heading {
        Heading::Up => Heading::Down,
        Heading::Down => Heading::Up,
    }
}

/// Smoothed round trips of these flows beyond the least that anyone has seen, in seconds.
fn flow_delay(view: &View<'_>, flows: &[&Flow<'_>], window: &Window) -> Weighted {
    let samples = view.flows.iter().flat_map(|flow| &flow.seen.sender);
    let least = samples.filter_map(|sample| sample.min_rtt).map(units::Span::as_secs_f64);
    let least = least.chain(view.clock.least_round_trip()).fold(f64::INFINITY, f64::min);
    let within = flows.iter().flat_map(|flow| flow.samples(window.from, window.to));
    let round_trips = within.filter_map(|(_, sample)| sample.srtt);
    Weighted::evenly(round_trips.map(|srtt| (srtt.as_secs_f64() - least).max(0.0)))
}

/// The part of probes that never arrived.
fn loss(traffic: &Traffic<'_>, window: &Window) -> Option<f64> {
    let within = between(traffic.passages, window.from, window.to);
    let count = |which: fn(&Fate) -> bool| {
        within.iter().filter(|passage| which(&passage.fate)).count() as f64
    };
    let lost = count(|fate| matches!(fate, Fate::Lost));
    results::ratio(lost, lost + count(|fate| matches!(fate, Fate::Waited(_))))
}

/// The part of these flows' segments that were sent once more.
fn retransmitted(flows: &[&Flow<'_>], window: &Window) -> Option<f64> {
    let (mut sent, mut again) = (0.0, 0.0);
    for flow in flows {
        let samples = flow.samples(window.from, window.to);
        if let [(_, first), .., (_, last)] = samples {
            sent += last.sent.saturating_sub(first.sent) as f64;
            again += last.retransmitted.saturating_sub(first.retransmitted) as f64;
        }
    }
    results::ratio(again, sent).map(|part| part.min(1.0))
}
