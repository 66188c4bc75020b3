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
            Cause::Congestion | Cause::Threshold => self.dropped_early += packet.packets(),
            Cause::Superseded => self.superseded += packet.packets(),
        }
    }

    /// Counts a packet that was marked.
    pub fn count_marked<P: Packet>(&mut self, packet: &P, cause: Cause) {
        match cause {
            Cause::Threshold => self.marked_above_threshold += packet.packets(),
            Cause::Congestion | Cause::Overflow | Cause::Superseded => {
                self.marked += packet.packets();
            }
        }
    }

    /// The number of dropped packets, for any cause.
    pub const fn dropped(&self) -> u64 {
        self.overflowed + self.dropped_early + self.superseded
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

/// The state of a discipline, as `tc -s` shows it; `()` for one without a controller.
pub trait DisciplineStats: Clone + fmt::Debug + PartialEq {
    /// The number that tc calls `overlimits`; 0 where the kernel does not count it.
    fn overlimits(&self, _tally: &Tally) -> u64 {
        0
    }

    /// Writes the lines that follow the backlog; each begins with a line feed and two spaces.
    ///
    /// # Errors
    /// Those of the formatter.
    fn write(&self, tally: &Tally, backlog: Backlog, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl DisciplineStats for () {
    fn write(&self, _: &Tally, _: Backlog, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// All statistics of a queue; prints as `tc -s qdisc show` does, without the first line.
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

impl<S: DisciplineStats> fmt::Display for Statistics<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally, backlog, stats } = self;
        let overlimits = stats.overlimits(tally);
        write!(f, " Sent {} bytes {} pkt", tally.sent.bytes.0, tally.sent.packets)?;
        writeln!(f, " (dropped {}, overlimits {overlimits} requeues 0)", tally.dropped())?;
        write!(f, " backlog {}b {}p requeues 0", backlog.bytes.0, backlog.packets)?;
        stats.write(tally, *backlog, f)
    }
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

/// Writes when the next drop is due, as tc does; `None` outside the drop state.
pub(crate) fn write_due(f: &mut fmt::Formatter<'_>, drop_next: Option<DueIn>) -> fmt::Result {
    match drop_next {
        Some(DueIn::Future(span)) => write!(f, " dropping drop_next {}", Micros(span)),
        Some(DueIn::Past(span)) => write!(f, " dropping drop_next -{}", Micros(span)),
        None => f.write_str(" drop_next 0us"),
    }
}

/// A time to the microsecond, as tc prints it.
pub(crate) struct Micros(pub(crate) Span);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_nanos() / 1000 {
            0 => f.write_str("0us"),
            micros => Span::from_micros(micros).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use units::{Bytes, Rate, Rng};

    use super::*;
    use crate::disciplines::codel::CoDelStats;
    use crate::history::Probe;
    use crate::{Dequeued, Ecn, LinkInfo, Qdisc, QdiscSpec};

    /// The output of `tc -s` after four packets of 1000 bytes, one of them sent after 2 ms.
    fn show(spec: &str) -> alloc::string::String {
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
        let (backlog, stats) = (queue.backlog(), queue.stats(now));
        Statistics { tally, backlog, stats }.to_string()
    }

    #[test]
    fn prints_as_tc_does() {
        let head = " Sent 1000 bytes 1 pkt (dropped 1, overlimits 0 requeues 0)\n \
                    backlog 2000b 2p requeues 0";
        for (spec, rest) in [
            ("pfifo limit 3", ""),
            (
                "codel limit 3",
                "\n  count 0 lastcount 0 ldelay 2ms drop_next 0us\n  \
                 maxpacket 1000 ecn_mark 0 drop_overlimit 1",
            ),
            (
                "codel limit 3 ce_threshold 1ms",
                "\n  count 0 lastcount 0 ldelay 2ms drop_next 0us\n  \
                 maxpacket 1000 ecn_mark 0 drop_overlimit 1 ce_mark 1",
            ),
            (
                "fq_codel limit 3 drop_batch 1",
                "\n  maxpacket 1000 drop_overlimit 1 new_flow_count 1 ecn_mark 0\n  \
                 new_flows_len 1 old_flows_len 0",
            ),
            (
                "pie limit 3",
                "\n  prob 0 delay 2ms\n  pkts_in 3 overlimit 1 dropped 1 maxq 3 ecn_mark 0",
            ),
            (
                "cobalt limit 3",
                "\n  count 0 p_drop 0.003906 ldelay 2ms drop_next 0us\n  \
                 ecn_mark 0 drop_overlimit 1",
            ),
            (
                "fq_cobalt limit 3 drop_batch 1",
                "\n  drop_overlimit 1 new_flow_count 1 ecn_mark 0\n  \
                 new_flows_len 1 old_flows_len 0",
            ),
            (
                "red limit 3500 min 1000 max 3000 avpkt 1000 ewma 2 ecn",
                "\n  marked 0 early 0 pdrop 1 other 0\n  average 1266 max_probability 0.0200",
            ),
            ("blue limit 3", "\n  marked 0 early 0 pdrop 1 probability 0.020000"),
        ] {
            assert_eq!(show(spec), head.to_string() + rest, "{spec}");
        }
    }

    /// The packet that does not fit counts in `overlimits`, as in sch_sfb.c.
    #[test]
    fn sfb_prints_as_tc_does() {
        let expected = " Sent 1000 bytes 1 pkt (dropped 1, overlimits 1 requeues 0)\n \
                        backlog 2000b 2p requeues 0\n  \
                        earlydrop 0 penaltydrop 0 bucketdrop 0 queuedrop 1 childdrop 0 marked 0\n  \
                        maxqlen 2 maxprob 1.000000 avgprob 0.062500";
        assert_eq!(show("sfb limit 3 max 9 target 2 increment 1"), expected);
        let in_the_bins = show("sfb target 2 max 3");
        assert!(in_the_bins.contains("bucketdrop 1 queuedrop 0"), "{in_the_bins}");
        let in_the_box = show("sfb max 9 target 2 increment 1 penalty_rate 0");
        assert!(in_the_box.contains("overlimits 2 "), "{in_the_box}");
        assert!(in_the_box.contains("earlydrop 0 penaltydrop 2"), "{in_the_box}");
    }

    /// q_pie.c prints the rate only where it is measured.
    #[test]
    fn pie_shows_the_rate_that_it_measures() {
        for (spec, is_shown) in [("pie limit 3", false), ("pie limit 3 dq_rate_estimator", true)] {
            assert_eq!(show(spec).contains(" avg_dq_rate "), is_shown, "{spec}");
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
    fn a_drop_state_shows_when_the_next_drop_is_due() {
        let (now, drop_next) = (Time::from_millis(9), Some(DueIn::Past(Span::from_micros(1500))));
        assert_eq!(DueIn::seen_from(now, Time::from_nanos(7_500_000)), drop_next.unwrap());
        let (ldelay, maxpacket) = (Span::from_nanos(5_123_456), Bytes(1514));
        let stats = CoDelStats { count: 3, lastcount: 1, ldelay, drop_next, maxpacket };
        let (tally, backlog) = (Tally::default(), Backlog::default());
        let shown = Statistics { tally, backlog, stats }.to_string();
        assert!(shown.contains("ldelay 5.123ms dropping drop_next -1.5ms\n"), "{shown}");
    }
}
