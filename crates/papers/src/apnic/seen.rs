//! The observations of a run.

use results::{DirectionResult, Document, Timeline};
use stats::{ascending, median};

use crate::run::Ran;

/// The time at which the load begins, in seconds.
pub(super) const BEGINS: f64 = 5.0;
/// The time from which the load has settled, in seconds: on the line alone, the queue has grown.
pub(super) const SETTLED: f64 = 20.0;
/// The time for which a test goes on after the load, in seconds.
const AFTER: f64 = 5.0;

/// The observations of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    document: Document,
    seconds: f64,
}

impl Seen {
    pub(super) fn of(ran: Ran) -> Self {
        Self { document: ran.document, seconds: ran.seconds }
    }

    /// The goodput in Mbit/s, under settled load, of each stream whose name begins so, in ascending
    /// order.
    pub(super) fn streams(&self, prefix: &str) -> Vec<f64> {
        let Some(timeline) = self.timeline() else { return Vec::new() };
        let bytes = timeline.flows.iter().filter(|(name, _)| name.starts_with(prefix));
        let mean = |delivered: &[u64]| {
            let settled = delivered.get(self.settled(timeline)).unwrap_or_default();
            let seconds = settled.len() as f64 * timeline.step_s;
            (seconds > 0.0).then(|| settled.iter().sum::<u64>() as f64 * 8e-6 / seconds)
        };
        ascending(bytes.filter_map(|(_, flow)| mean(&flow.delivered_bytes)))
    }

    /// The sum of [`Self::streams`]; `None` without streams.
    pub(super) fn total(&self, prefix: &str) -> Option<f64> {
        self.streams(prefix).into_iter().reduce(|sum, one| sum + one)
    }

    /// The goodput of this stream in Mbit/s, as the mean over each `width` seconds, with the time
    /// in seconds of their middle.
    pub(super) fn goodput(&self, stream: &str, width: f64) -> Vec<(f64, f64)> {
        let Some(timeline) = self.timeline() else { return Vec::new() };
        let bytes = timeline.flows.get(stream).map(|flow| flow.delivered_bytes.as_slice());
        let steps = (width / timeline.step_s).round() as usize;
        let rate = |(index, bytes): (usize, &[u64])| {
            ((index as f64 + 0.5) * width, bytes.iter().sum::<u64>() as f64 * 8e-6 / width)
        };
        bytes.unwrap_or_default().chunks(steps.max(1)).enumerate().map(rate).collect()
    }

    /// The times in seconds and the round trips in milliseconds of the pings of this flow.
    pub(super) fn pings(&self, flow: &str) -> Vec<(f64, f64)> {
        let Some(timeline) = self.timeline() else { return Vec::new() };
        let rtts = timeline.flows.get(flow).map(|flow| flow.rtt_ms.high.as_slice());
        let timed = rtts.unwrap_or_default().iter().enumerate();
        timed.filter_map(|(at, rtt)| Some((at as f64 * timeline.step_s, (*rtt)?))).collect()
    }

    /// The median round trip of the pings before the load, in milliseconds; `None` without pings.
    pub(super) fn idle(&self) -> Option<f64> {
        median(&ascending(self.pings_between("ping", 0.0, BEGINS)))
    }

    /// The round trips in milliseconds, in ascending order, of the pings of this flow under settled
    /// load.
    pub(super) fn loaded(&self, flow: &str) -> Vec<f64> {
        ascending(self.pings_between(flow, SETTLED, self.ends()))
    }

    /// The round trips in milliseconds, in ascending order, of the pings of this flow under load,
    /// from its beginning.
    pub(super) fn under_load(&self, flow: &str) -> Vec<f64> {
        ascending(self.pings_between(flow, BEGINS, self.ends()))
    }

    /// The median round trip under settled load that is more than without load, in milliseconds;
    /// `None` without pings.
    pub(super) fn added(&self) -> Option<f64> {
        Some(median(&self.loaded("ping"))? - self.idle()?)
    }

    /// CAKE for the downlink, or the queue in its place; `None` if the run has no router.
    pub(super) fn downlink(&self) -> Option<&DirectionResult> {
        self.document.links.get("router").map(|router| &router.reverse)
    }

    fn timeline(&self) -> Option<&Timeline> {
        self.document.timeline.as_ref()
    }

    fn pings_between(&self, flow: &str, from: f64, to: f64) -> Vec<f64> {
        let pings = self.pings(flow).into_iter();
        pings.filter(|(at, _)| (from..to).contains(at)).map(|(_, rtt)| rtt).collect()
    }

    /// The steps under settled load.
    fn settled(&self, timeline: &Timeline) -> std::ops::Range<usize> {
        let step = |at: f64| (at / timeline.step_s).round() as usize;
        step(SETTLED)..step(self.ends()).max(step(SETTLED))
    }

    /// The time at which the load ends, in seconds.
    fn ends(&self) -> f64 {
        self.seconds - AFTER
    }
}
