//! All observations of a measurement, on one clock.

use observation::{Heading, Load, Observations, PageLoad, ProbeStream, Stage};
use units::Time;

use crate::clock::Clock;
use crate::flow::Flow;
use crate::handshakes;
use crate::held::Held;
use crate::noise::noise;
use crate::passage::Passages;
use crate::traffic::Traffic;
use crate::window::Window;

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
    /// True if the passages are those of the load's own packets, as a capture shows them, and nothing
    /// beside the load was seen.
    pub(crate) is_by_load: bool,
    /// The waits in seconds when something was lost, and the number of packets that a queue has
    /// marked, as a capture shows them.
    pub(crate) at_losses: Vec<f64>,
    pub(crate) marks: f64,
    /// Bytes of a probe as an IP packet.
    pub(crate) probe: f64,
    /// All other streams of small packets, with the bytes of a packet.
    others: Vec<(Passages, f64)>,
    /// Pages that were loaded: beginning and end in seconds, and bytes.
    pub(crate) came: Vec<(f64, f64, f64)>,
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
        let is_by_handshakes = handshakes::is_needed(seen);
        let (passages, probe) = if is_by_handshakes {
            (handshakes::passages(seen, &clock), handshakes::BYTES)
        } else {
            let passages = path.map_or_else(Default::default, |path| Passages::new(path, &clock));
            (passages, path.map_or(0.0, |path| path.bytes.0 as f64))
        };
        let is_other = |other: &&ProbeStream| path.is_none_or(|path| !std::ptr::eq(path, *other));
        let others = seen.probes.iter().filter(is_other).chain(&seen.voice);
        let others =
            others.map(|other| (Passages::new(other, &clock), other.bytes.0 as f64)).collect();
        let flows = Flow::all(seen, &clock);
        let came = came(seen, &clock);
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
            is_by_load: false,
            at_losses: Vec::new(),
            marks: 0.0,
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

    /// The part of its busy time for which an end held the load back, 0 to 1; `None` if it is 0 or not
    /// known.
    pub(crate) fn held_back(&self, heading: Heading, window: &Window) -> Option<f64> {
        let flows = self.flows.iter().filter(|flow| flow.seen.heading == heading);
        let held =
            flows.fold(Held::default(), |held, flow| match flow.samples(window.from, window.to) {
                [(_, first), .., (_, last)] => held.and(first, last),
                _ => held,
            });
        held.part()
    }

    /// The longest stage with this load; `None` if there is none.
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

/// The pages that were loaded: beginning and end in seconds, and bytes.
fn came(seen: &Observations, clock: &Clock) -> Vec<(f64, f64, f64)> {
    let Some(pages) = &seen.pages else { return Vec::new() };
    let bytes = f64::from(pages.objects) * pages.bytes.0 as f64;
    let came = |page: &PageLoad| {
        let begun = clock.ours(page.at);
        Some((begun, begun + page.took?.as_secs_f64(), bytes))
    };
    pages.loads.iter().filter_map(came).collect()
}
