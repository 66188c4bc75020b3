//! What a queue shows of itself to those who load it and to those who probe it.

use crate::busy::Busy;
use crate::flow::Flow;
use crate::passage::{Fate, Passage, between};
use crate::spread::Weighted;
use crate::window::Window;

/// The signs of one direction in one stage. Delays are seconds beyond the path's least.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signs {
    /// Probes that arrived in the window.
    pub(crate) probes: f64,
    /// Probes that did not.
    pub(crate) lost: f64,
    /// Median delay of probes.
    pub(crate) median: f64,
    /// Their 90th percentile.
    pub(crate) p90: f64,
    /// Their 95th.
    pub(crate) p95: f64,
    /// The longest delay, but for the most exceptional five in a thousand: some are the machines'.
    pub(crate) full: f64,
    /// The same over the whole stage, its beginning with it.
    pub(crate) stage_full: f64,
    /// The part of the time in which the queue is nearly as long as it gets.
    pub(crate) near_full: f64,
    /// Probes lost while it was, going by those before and after them.
    pub(crate) lost_near_full: f64,
    /// The delay when probes were lost: median.
    pub(crate) at_loss: Option<f64>,
    /// The flows' own round trips beyond the least, without what the way back and their own packets
    /// add: median.
    pub(crate) flows: f64,
    /// What probes wait on an idle path: 95th percentile.
    pub(crate) noise: f64,
    /// The part of segments that were sent once more.
    pub(crate) again: f64,
    /// How long the bottleneck takes for a full packet, in seconds.
    pub(crate) packet: f64,
    /// The bottleneck's rate.
    pub(crate) busy: Busy,
}

/// So near to the longest delay is near.
pub(crate) const NEAR: f64 = 0.9;

/// The quantile that stands for the longest delay.
const LONGEST: f64 = 0.995;

impl Signs {
    /// What probes show; the rest is the caller's.
    pub(crate) fn of_probes(passages: &[Passage], stage: &Window, window: &Window) -> Self {
        let spread = window.spread(passages);
        let quantile = |part| spread.quantile(part).unwrap_or(0.0);
        let full = quantile(LONGEST);
        let within = between(passages, window.from, window.to);
        let lost: Vec<usize> =
            (0..within.len()).filter(|index| matches!(within[*index].fate, Fate::Lost)).collect();
        let was_near = |index: &&usize| around(within, **index).1 >= NEAR * full;
        let at_loss = lost.iter().map(|index| {
            let (shorter, longer) = around(within, *index);
            (shorter + longer) / 2.0
        });
        Self {
            probes: within.iter().filter(|passage| passage.wait().is_some()).count() as f64,
            lost: lost.len() as f64,
            median: quantile(0.5),
            p90: quantile(0.9),
            p95: quantile(0.95),
            full,
            stage_full: stage.spread(passages).quantile(LONGEST).unwrap_or(0.0),
            near_full: 1.0 - spread.part_below(NEAR * full),
            at_loss: Weighted::evenly(at_loss).quantile(0.5),
            lost_near_full: lost.iter().filter(was_near).count() as f64,
            ..Self::default()
        }
    }
}

/// With less lost than this nothing is said to be dropped by the path.
const NO_LOSS: f64 = 5e-4;

impl Signs {
    /// The part of probes that was lost.
    pub(crate) fn loss(&self) -> f64 {
        results::ratio(self.lost, self.lost + self.probes).unwrap_or(0.0)
    }

    /// Does the path drop?
    pub(crate) fn drops(&self) -> bool {
        self.again.max(self.loss()) > NO_LOSS
    }
}

/// The delays of the probes that arrived just before and just after, the shorter one first.
fn around(passages: &[Passage], index: usize) -> (f64, f64) {
    let before = passages[..index].iter().rev().find_map(Passage::wait);
    let after = passages[index..].iter().find_map(Passage::wait);
    let one = before.or(after).unwrap_or(0.0);
    let other = after.unwrap_or(one);
    (one.min(other), one.max(other))
}

/// The part of these flows' segments that were sent once more, in this window.
pub(crate) fn sent_again(flows: &[&Flow<'_>], window: &Window) -> Option<f64> {
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

/// Smoothed round trips of these flows beyond `least`, in seconds. Where nothing was acknowledged
/// since the sample before, it is the round trip of long ago.
pub(crate) fn flow_delay(flows: &[&Flow<'_>], window: &Window, least: f64) -> Weighted {
    let pairs = flows.iter().flat_map(|flow| flow.samples(window.from, window.to).windows(2));
    let fresh = pairs.filter_map(|pair| {
        let [(_, before), (_, sample)] = pair else { return None };
        sample.srtt.filter(|_| sample.acknowledged > before.acknowledged)
    });
    Weighted::evenly(fresh.map(|srtt| (srtt.as_secs_f64() - least).max(0.0)))
}
