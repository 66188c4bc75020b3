//! The signs of a queue that flows and probes show.

use results::{Finding, FindingKind};

use crate::busy::{BusyRate, NOT_EMPTY};
use crate::drops::Drops;
use crate::flow::Flow;
use crate::noise::NO_DELAY;
use crate::passage::{Fate, Passage, between};
use crate::quiet::Quiet;
use crate::spread::Weighted;
use crate::window::Window;

/// The signs of a direction in a stage. Delays are in seconds beyond the path's least.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signs {
    /// The signs after the load had settled.
    pub(crate) settled: Shown,
    /// The signs from the stage's beginning on: slow start fills a queue that may never be full
    /// again.
    pub(crate) stage: Shown,
    /// The median delay around lost probes; `None` if none was lost.
    pub(crate) at_loss: Option<f64>,
    /// The drops, and how full the queue was at them.
    pub(crate) drops: Drops,
    /// The median of the flows' round trips beyond the least, without the delay of the way back and
    /// of their own packets.
    pub(crate) flows: f64,
    /// The 95th percentile of probes' waits on an idle path that nobody else uses.
    pub(crate) noise: f64,
    /// The lateness of this machine: median and 95th percentile, of its probes, in seconds.
    pub(crate) late: [f64; 2],
    /// The probes' fates while this direction was not loaded.
    pub(crate) quiet: Quiet,
    /// The median waits of TCP handshakes beside the load, and of probes over both ways; `None` if
    /// not known.
    pub(crate) handshakes: Option<[f64; 2]>,
    /// If the waits are those of the load's own packets, and nothing beside them was seen: the chance
    /// that its losses are those of a wire. `None` otherwise.
    pub(crate) by_chance: Option<f64>,
    /// The packets that a queue is known to have marked.
    pub(crate) marks: f64,
    /// True if segments are delivered in pieces of several, which take one place in a queue each.
    pub(crate) in_pieces: bool,
    /// The time that the bottleneck takes for a full packet, in seconds.
    pub(crate) packet: f64,
    /// The rate in bytes a second, after the load had settled.
    pub(crate) carried: f64,
    /// The rate in bytes a second in the fastest quarter of the whole stage; `None` if nothing
    /// was delivered.
    pub(crate) fastest: Option<f64>,
    /// The rate of the bottleneck, and its variation.
    pub(crate) busy: BusyRate,
}

/// The signs in some part of a stage. Delays are in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shown {
    /// Probes that were delivered.
    pub(crate) probes: f64,
    /// Probes that were lost.
    pub(crate) lost: f64,
    /// The part of segments that were retransmitted, 0 to 1.
    pub(crate) again: f64,
    /// The 10th percentile of the delay of probes.
    pub(crate) p10: f64,
    /// The median delay of probes.
    pub(crate) median: f64,
    /// The 90th percentile of the delay of probes, over the time in which the queue was not empty.
    pub(crate) p90: f64,
    /// The 95th percentile of the delay of probes.
    pub(crate) p95: f64,
    /// The longest delay of probes, but for the most exceptional ones, some of which machines
    /// cause.
    pub(crate) longest: f64,
}

/// The quantile that counts as the longest delay after the load has settled.
pub(crate) const LONGEST: f64 = 0.995;

/// The quantile that counts as the longest delay of the whole stage. It is lower than [`LONGEST`],
/// because connections begin in a stage, and machines do much at once; a FIFO that slow start fills
/// is full for longer than that.
pub(crate) const EVER_LONGEST: f64 = 0.99;

/// The part of lost packets up to which the path counts as dropping nothing.
pub(crate) const NO_LOSS: f64 = 5e-4;

impl Shown {
    /// The signs of probes, with this quantile as the longest delay, and of flows with this part of
    /// segments retransmitted.
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
        stats::ratio(self.lost, self.lost + self.probes).unwrap_or(0.0)
    }

    /// True if the queue is full nearly all the time: its longest delay is hardly more than its
    /// median.
    pub(crate) fn is_always_full(&self) -> bool {
        const HARDLY_MORE: f64 = 0.97;
        self.median > HARDLY_MORE * self.longest
    }

    /// True if the path drops packets.
    pub(crate) fn drops(&self) -> bool {
        self.again.max(self.loss()) > NO_LOSS
    }
}

impl Signs {
    /// True if the waits are those of the load's own packets, and nothing beside them was seen.
    pub(crate) const fn is_by_load(&self) -> bool {
        self.by_chance.is_some()
    }

    /// True if a wire may have lost what the load lost.
    pub(crate) fn may_be_wire(&self) -> bool {
        /// The chance below which it did not.
        const UNLIKELY: f64 = 0.002;
        let again = self.settled.again.max(self.settled.loss());
        match self.by_chance {
            Some(chance) => chance >= UNLIKELY,
            None => self.quiet.may_lose(again),
        }
    }

    /// The wait in seconds up to which nothing waits: what machines add, and a packet or two.
    pub(crate) fn no_delay(&self) -> f64 {
        NO_DELAY.max(1.5 * self.packet) + self.noise
    }

    /// True if the load filled the path after it had settled: at least a few packets always wait;
    /// or a load that is always nearly as fast as at its fastest has drops. Losses without a queue
    /// do not show that the path was filled, and keep a load from filling it all the time.
    pub(crate) fn is_filled(&self, findings: &[Finding]) -> bool {
        let bound = NO_DELAY + self.noise;
        if FindingKind::RandomLoss.is_in(findings) {
            return self.settled.p10 > bound;
        }
        let flows_wait = FindingKind::ProbesFavoured.is_in(findings) && self.flows > bound;
        let drops = self.settled.drops() && self.carried >= FILLS * self.busy.fastest;
        let waits_always = self.settled.p10 > FEW * self.packet + self.noise + OF_MACHINES;
        drops || flows_wait || waits_always || self.settled.median > bound
    }

    /// The signs with the bottleneck's rate that small packets show, if it is higher. Small packets
    /// never bring more than large ones, unless others had a part of the link before.
    pub(crate) fn beside(self, small: &Self) -> Self {
        let flux = &self.busy.flux;
        let more = stats::ratio(small.busy.flux.bytes, flux.bytes).unwrap_or(1.0).max(1.0);
        let busy = BusyRate { flux: flux.times(more), ..self.busy };
        Self { busy, packet: self.packet / more, ..self }
    }

    /// The longest delay of the stage.
    pub(crate) fn longest(&self) -> f64 {
        self.settled.longest.max(self.stage.longest)
    }
}

/// The packets that the shortest queues hold.
pub(crate) const FEW: f64 = 5.0;

/// The wait that machines add under load beyond that on an idle path, in seconds.
pub(crate) const OF_MACHINES: f64 = 0.3e-3;

/// The part of the line's rate from which a line counts as filled.
pub(crate) const FILLS: f64 = 0.91;

/// The median delay around lost probes: the longer of the delays of those that were delivered just
/// before and after. `None` if no probe was lost.
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

/// The part of these flows' segments that were retransmitted in this window; `None` if none was
/// sent.
pub(crate) fn sent_again(flows: &[&Flow<'_>], window: &Window) -> Option<f64> {
    let (mut sent, mut again) = (0.0, 0.0);
    for flow in flows {
        let samples = flow.samples(window.from, window.to);
        if let [(_, first), .., (_, last)] = samples {
            sent += last.sent.saturating_sub(first.sent) as f64;
            again += last.retransmitted.saturating_sub(first.retransmitted) as f64;
        }
    }
    stats::ratio(again, sent).map(|part| part.min(1.0))
}

/// Smoothed round trips of these flows beyond `least`, in seconds. A sample without new
/// acknowledgements is left out, since its round trip is an old one.
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
        // One of 2000 counts as nothing, of probes as of segments.
        assert!(!shown(1999.0, 1.0, 5e-4).drops());
        assert!(shown(1999.0, 2.0, 0.0).drops() && shown(2000.0, 0.0, 6e-4).drops());
    }
}
