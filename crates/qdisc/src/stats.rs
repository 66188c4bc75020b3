//! The statistics that `tc -s qdisc` shows: counts of packets, and the state of the controller.

use core::fmt;

use units::{Span, Time};

use crate::{Backlog, Cause, Packet, Signals};

/// A count of sent, dropped and marked packets. Pass it to a queue as its [`Signals`], or call it
/// from your own signals; report the packets that are sent with [`count_sent`](Self::count_sent).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Tally {
    /// Packets and bytes that came out of the queue.
    pub sent: Backlog,
    /// Packets dropped because a limit was reached.
    pub overflowed: u64,
    /// Packets and bytes that changes of the settings discarded.
    pub discarded: Backlog,
    /// Packets that the controller dropped.
    pub dropped_early: u64,
    /// Acknowledgements that were dropped since a later one says all that they say.
    pub superseded: u64,
    /// Packets that the controller marked in place of dropping them.
    pub marked: u64,
    /// Packets marked because they waited longer than `ce_threshold`.
    pub marked_above_threshold: u64,
}

impl Tally {
    /// Counts a packet that came out of the queue.
    pub fn count_sent<P: Packet>(&mut self, packet: &P) {
        self.sent += Backlog::of(packet);
    }

    /// Counts a packet that was dropped.
    pub fn count_dropped<P: Packet>(&mut self, packet: &P, cause: Cause) {
        match cause {
            Cause::Overflow => self.overflowed += packet.packets(),
            Cause::Discarded => self.discarded += Backlog::of(packet),
            Cause::Congestion | Cause::Threshold => self.dropped_early += packet.packets(),
            Cause::Superseded => self.superseded += packet.packets(),
        }
    }

    /// Counts a packet that was marked.
    pub fn count_marked<P: Packet>(&mut self, packet: &P, cause: Cause) {
        match cause {
            Cause::Threshold => self.marked_above_threshold += packet.packets(),
            _ => self.marked += packet.packets(),
        }
    }

    /// The number of dropped packets, for any cause.
    pub const fn dropped(&self) -> u64 {
        self.overflowed + self.discarded.packets + self.dropped_early + self.superseded
    }
}

impl<P: Packet<Store = ()>> Signals<P> for Tally {
    fn dropped(&mut self, packet: P, cause: Cause, _now: Time) {
        self.count_dropped(&packet, cause);
    }

    fn marked(&mut self, packet: &P, cause: Cause, _now: Time) {
        self.count_marked(packet, cause);
    }

    fn store(&self) -> &() {
        &()
    }
}

/// The state of a discipline: what `tc -s` shows of it; `()` for one without a controller.
pub trait DisciplineStats: Clone + fmt::Debug + PartialEq {
    /// The number that tc calls `overlimits`; 0 where the kernel does not count it.
    fn overlimits(&self, _tally: &Tally) -> u64 {
        0
    }
}

impl DisciplineStats for () {}

/// All statistics of a queue: what `tc -s qdisc show` prints below the first line.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Statistics<S> {
    /// The counts of packets.
    pub tally: Tally,
    /// The packets and bytes that wait.
    pub backlog: Backlog,
    /// The state of the controller.
    pub stats: S,
}

/// A time relative to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum DueIn {
    /// The time that lies this long from now.
    Future(Span),
    /// The time that lies this long ago.
    Past(Span),
}

impl DueIn {
    pub(crate) fn seen_from(now: Time, due: Time) -> Self {
        if due >= now { Self::Future(due.since(now)) } else { Self::Past(now.since(due)) }
    }
}

#[cfg(test)]
mod tests {
    use units::{Bytes, Rate, Rng};

    use super::*;
    use crate::disciplines::codel::CoDelStats;
    use crate::history::Probe;
    use crate::{AnyStats, Dequeued, Ecn, LinkInfo, Qdisc, QdiscSpec};

    /// The statistics after four packets of 1000 bytes, one of them sent after 2 ms.
    fn statistics(spec: &str) -> Statistics<AnyStats> {
        let link = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));
        let mut queue = spec.parse::<QdiscSpec>().unwrap().build(link, Rng::new(1));
        let (mut tally, now) = (Tally::default(), Time::from_millis(2));
        for id in 0..4 {
            let (len, ecn) = (Bytes(1000), Ecn::Ect0);
            let packet = Probe { id, flow: 0, len, ecn, wrongly_marked: false, packets: 1 };
            queue.enqueue(packet, Time::ZERO, &mut tally);
        }
        if let Dequeued::Packet { packet, .. } = queue.dequeue(now, &mut tally) {
            tally.count_sent(&packet);
        }
        Statistics { tally, backlog: queue.backlog(), stats: queue.stats(now) }
    }

    /// Of four packets one did not fit, two wait and one was sent.
    #[test]
    fn every_kind_counts_the_same() {
        for spec in [
            "pfifo limit 3",
            "codel limit 3",
            "fq_codel limit 3 drop_batch 1",
            "pie limit 3",
            "cobalt limit 3",
            "fq_cobalt limit 3 drop_batch 1",
            "red limit 3500 min 1000 max 3000 avpkt 1000 ewma 2 ecn",
            "blue limit 3",
        ] {
            let Statistics { tally, backlog, stats } = statistics(spec);
            assert_eq!((tally.dropped(), tally.overflowed, tally.marked), (1, 1, 0), "{spec}");
            assert_eq!((tally.sent.packets, tally.sent.bytes), (1, Bytes(1000)), "{spec}");
            assert_eq!((backlog.packets, backlog.bytes), (2, Bytes(2000)), "{spec}");
            assert_eq!(stats.overlimits(&tally), 0, "{spec}");
        }
    }

    #[test]
    fn a_controller_shows_its_state() {
        let AnyStats::CoDel(codel) = statistics("codel limit 3").stats else { panic!() };
        let (ldelay, maxpacket) = (Span::from_millis(2), Bytes(1000));
        assert_eq!(
            codel,
            CoDelStats { count: 0, lastcount: 0, ldelay, drop_next: None, maxpacket }
        );
        let AnyStats::FqCoDel(fq) = statistics("fq_codel").stats else { panic!() };
        assert_eq!((fq.maxpacket, fq.new_flow_count), (Bytes(1000), 1));
        assert_eq!((fq.new_flows_len, fq.old_flows_len), (1, 0));
        let AnyStats::Cobalt(cobalt) = statistics("cobalt limit 3").stats else { panic!() };
        assert_eq!((cobalt.p_drop, cobalt.ldelay), (1.0 / 256.0, ldelay));
        let AnyStats::Blue(blue) = statistics("blue limit 3").stats else { panic!() };
        assert_eq!(blue.probability.get(), 0.02);
        let red = "red limit 3500 min 1000 max 3000 avpkt 1000 ewma 2";
        let AnyStats::Red(red) = statistics(red).stats else { panic!() };
        assert_eq!((red.average.round(), red.max_probability.get()), (1266.0, 0.02));
    }

    /// The packet that does not fit counts in `overlimits`, as in sch_sfb.c.
    #[test]
    fn sfb_tells_its_drops_apart() {
        let of_limit = statistics("sfb limit 3 max 9 target 2 increment 1");
        let AnyStats::Sfb(sfb) = of_limit.stats else { panic!() };
        assert_eq!((sfb.overlimits(&of_limit.tally), sfb.bucket_drops, sfb.maxqlen), (1, 0, 2));
        assert_eq!((sfb.maxprob.get(), sfb.avgprob.get()), (1.0, 0.0625));
        let AnyStats::Sfb(in_the_bins) = statistics("sfb target 2 max 3").stats else { panic!() };
        assert_eq!(in_the_bins.bucket_drops, 1);
        let in_the_box = statistics("sfb max 9 target 2 increment 1 penalty_rate 0");
        let AnyStats::Sfb(sfb) = in_the_box.stats else { panic!() };
        assert_eq!((sfb.overlimits(&in_the_box.tally), sfb.penalty_drops), (2, 2));
    }

    /// sch_red.c counts the packets that it drops early or marks.
    #[test]
    fn red_counts_its_signals_as_overlimits() {
        let tally = Tally { dropped_early: 3, marked: 4, overflowed: 5, ..Tally::default() };
        assert_eq!(statistics("red limit 90kb min 9000").stats.overlimits(&tally), 7);
    }

    /// q_pie.c prints the rate only where it is measured.
    #[test]
    fn pie_shows_the_rate_that_it_measures() {
        for (spec, is_shown) in [("pie limit 3", false), ("pie limit 3 dq_rate_estimator", true)] {
            let AnyStats::Pie(pie) = statistics(spec).stats else { panic!() };
            assert_eq!(pie.avg_dq_rate.is_some(), is_shown, "{spec}");
            assert_eq!((pie.prob, pie.maxq), (0.0, 2), "{spec}");
        }
    }

    #[test]
    fn packets_are_dropped_for_want_of_room_or_early() {
        let mut tally = Tally::default();
        let packet = |packets| Probe {
            id: 0,
            flow: 0,
            len: Bytes(1000),
            ecn: Ecn::Ect0,
            wrongly_marked: false,
            packets,
        };
        tally.count_dropped(&packet(2), Cause::Overflow);
        tally.count_dropped(&packet(3), Cause::Congestion);
        tally.count_dropped(&packet(4), Cause::Threshold);
        tally.count_marked(&packet(5), Cause::Congestion);
        assert_eq!((tally.overflowed, tally.dropped_early, tally.dropped()), (2, 7, 9));
    }

    #[test]
    fn a_time_is_seen_from_now() {
        let (now, half) = (Time::from_millis(9), Span::from_micros(1500));
        assert_eq!(DueIn::seen_from(now, now - half), DueIn::Past(half));
        assert_eq!(DueIn::seen_from(now, now + half), DueIn::Future(half));
        assert_eq!(DueIn::seen_from(now, now), DueIn::Future(Span::ZERO));
    }
}
