//! What a queue shows of itself to those who load it and to those who probe it.

use results::{Finding, FindingKind};

use crate::busy::{Busy, NOT_EMPTY};
use crate::drops::Drops;
use crate::findings::has;
use crate::flow::Flow;
use crate::passage::{Fate, Passage, between};
use crate::queue::{FEW, OF_MACHINES};
use crate::quiet::Quiet;
use crate::spread::Weighted;
use crate::window::Window;

/// The signs of one direction in one stage. Delays are seconds beyond the path's least.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signs {
    /// Once the load had settled.
    pub(crate) settled: Shown,
    /// From the stage's beginning on: slow start fills a queue that may never be full again.
    pub(crate) stage: Shown,
    /// The delay when probes were lost: median.
    pub(crate) at_loss: Option<f64>,
    /// Whether it dropped when it was full.
    pub(crate) drops: Drops,
    /// The flows' own round trips beyond the least, without what the way back and their own packets
    /// add: median.
    pub(crate) flows: f64,
    /// What probes wait on an idle path that nobody else uses: 95th percentile.
    pub(crate) noise: f64,
    /// How late this machine was, as a rule and at the 95th percentile.
    pub(crate) late: [f64; 2],
    /// What probes met while this direction was not loaded.
    pub(crate) quiet: Quiet,
    /// What TCP handshakes beside the load waited, and probes over both ways: medians.
    pub(crate) handshakes: Option<[f64; 2]>,
    /// Do segments arrive in pieces of several, which take one place in a queue each?
    pub(crate) in_pieces: bool,
    /// How long the bottleneck takes for a full packet, in seconds.
    pub(crate) packet: f64,
    /// Bytes that arrived in a second, once the load had settled.
    pub(crate) carried: f64,
    /// Bytes a second in the fastest quarter of the whole stage.
    pub(crate) fastest: Option<f64>,
    /// The bottleneck's rate.
    pub(crate) busy: Busy,
}

/// What there was to be seen in some time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shown {
    /// Probes that arrived.
    pub(crate) probes: f64,
    /// Probes that did not.
    pub(crate) lost: f64,
    /// The part of segments that were sent once more.
    pub(crate) again: f64,
    /// The 10th percentile of the delay of probes.
    pub(crate) p10: f64,
    /// Median delay of probes.
    pub(crate) median: f64,
    /// Their 90th percentile, of the time in which the queue was not empty.
    pub(crate) p90: f64,
    /// Their 95th.
    pub(crate) p95: f64,
    /// The longest delay, but for the most exceptional: some are the machines'.
    pub(crate) longest: f64,
}

/// The quantile that stands for the longest delay once the load has settled.
pub(crate) const LONGEST: f64 = 0.995;

/// And of the whole stage. Connections begin in it, and machines do much at once; a FIFO that slow start
/// fills is full for longer than that.
pub(crate) const EVER_LONGEST: f64 = 0.99;

/// With less lost than this nothing is said to be dropped by the path.
pub(crate) const NO_LOSS: f64 = 5e-4;

impl Shown {
    /// To probes, of whose delays this quantile is the longest, and to the flows of which this part was
    /// sent once more.
    pub(crate) fn new(
        passages: &[Passage],
        window: &Window,
        longest: f64,
        again: Option<f64>,
    ) -> Self {
        let spread = window.spread(passages);
        let quantile = |part| spread.quantile(part).unwrap_or(0.0);
        let longest = quantile(longest);
        let within = between(passages, window.from, window.to).iter();
        Self {
            probes: within.clone().filter(|passage| passage.wait().is_some()).count() as f64,
            lost: within.filter(|passage| passage.fate == Fate::Lost).count() as f64,
            again: again.unwrap_or(0.0),
            p10: quantile(0.1),
            median: quantile(0.5),
            p90: spread.quantile_from(NOT_EMPTY * longest, 0.9).unwrap_or(0.0),
            p95: quantile(0.95),
            longest,
        }
    }

    /// The part of probes that was lost.
    pub(crate) fn loss(&self) -> f64 {
        results::ratio(self.lost, self.lost + self.probes).unwrap_or(0.0)
    }

    /// Is the queue full nearly all the time? Its longest delay is hardly more than its median.
    pub(crate) fn is_always_full(&self) -> bool {
        const HARDLY_MORE: f64 = 0.97;
        self.median > HARDLY_MORE * self.longest
    }

    /// Does the path drop?
    pub(crate) fn drops(&self) -> bool {
        self.again.max(self.loss()) > NO_LOSS
    }
}

impl Signs {
    /// What waits is no longer than this if nothing waits: what machines add, and a packet or two.
    pub(crate) fn no_delay(&self) -> f64 {
        NO_DELAY.max(1.5 * self.packet) + self.noise
    }

    /// Did the load fill the path once it had settled: do packets wait, if only for a few others but always, or are some dropped of what is
    /// nearly as fast all the time as it is at its fastest? Losses that no queue made tell nothing of it,
    /// and keep a load from filling the path all the time.
    pub(crate) fn is_filled(&self, findings: &[Finding]) -> bool {
        let bound = NO_DELAY + self.noise;
        if has(findings, FindingKind::RandomLoss) {
            return self.settled.p10 > bound;
        }
        let flows_wait = has(findings, FindingKind::ProbesFavoured) && self.flows > bound;
        let drops = self.settled.drops() && self.carried >= FILLS * self.busy.fastest;
        let waits_always = self.settled.p10 > FEW * self.packet + self.noise + OF_MACHINES;
        drops || flows_wait || waits_always || self.settled.median > bound
    }

    /// With the bottleneck's rate as it must be if small packets brought so much across. They never
    /// bring more than large ones: if they did, somebody else had a part of the link before.
    pub(crate) fn beside(self, small: &Self) -> Self {
        let flux = &self.busy.flux;
        let more = results::ratio(small.busy.flux.bytes, flux.bytes).unwrap_or(1.0).max(1.0);
        let busy = Busy { flux: flux.times(more), ..self.busy };
        Self { busy, packet: self.packet / more, ..self }
    }

    /// The longest that it ever was.
    pub(crate) fn longest(&self) -> f64 {
        self.settled.longest.max(self.stage.longest)
    }
}

/// Seconds below which a delay is none, whatever the rate: what machines add.
pub(crate) const NO_DELAY: f64 = 2e-3;

/// What carries this part of its rate is filled.
pub(crate) const FILLS: f64 = 0.91;

/// The delay when probes were lost, the longer of those that arrived just before and after: median.
pub(crate) fn at_loss(passages: &[Passage], window: &Window) -> Option<f64> {
    let within = between(passages, window.from, window.to);
    let lost = (0..within.len()).filter(|index| within[*index].fate == Fate::Lost);
    let delays = lost.filter_map(|index| {
        let before = within[..index].iter().rev().find_map(Passage::wait);
        let after = within[index..].iter().find_map(Passage::wait);
        Some(before.or(after)?.max(after.or(before)?))
    });
    Weighted::evenly(delays).quantile(0.5)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_a_part_of_what_was_sent() {
        let shown = |probes, lost, again| Shown { probes, lost, again, ..Shown::default() };
        assert_eq!(shown(95.0, 5.0, 0.0).loss(), 0.05);
        assert_eq!((shown(0.0, 5.0, 0.0).loss(), shown(0.0, 0.0, 0.0).loss()), (1.0, 0.0));
        // One of 2000 is nothing, of probes as of segments.
        assert!(!shown(1999.0, 1.0, 5e-4).drops());
        assert!(shown(1999.0, 2.0, 0.0).drops() && shown(2000.0, 0.0, 6e-4).drops());
    }
}
