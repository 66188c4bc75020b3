//! The statistics that `tc -s qdisc` shows: counts of packets, and the state of the controller.

use core::fmt;

use units::{Bytes, Span, Time};

use crate::aqm::{Blue, CoDel, Cobalt, Pie, Red, TailDrop};
use crate::{Backlog, Cause, Fifo, Flow, FqCoDel, FqCobalt, Packet, Sfb, Signals};

/// A count of sent, dropped and marked packets. Pass it to a queue as its [`Signals`], or call it
/// from your own signals; report the packets that are sent with [`count_sent`](Self::count_sent).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets and bytes that came out of the queue.
    pub sent: Backlog,
    /// Packets dropped because a limit was reached.
    pub overflowed: u64,
    /// Packets that the controller dropped.
    pub dropped_early: u64,
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
        }
    }

    /// Counts a packet that was marked.
    pub fn count_marked<P: Packet>(&mut self, packet: &P, cause: Cause) {
        match cause {
            Cause::Threshold => self.marked_above_threshold += packet.packets(),
            Cause::Congestion | Cause::Overflow => self.marked += packet.packets(),
        }
    }

    /// The number of dropped packets, for any cause.
    pub const fn dropped(&self) -> u64 {
        self.overflowed + self.dropped_early
    }
}

impl<P: Packet> Signals<P> for Tally {
    fn dropped(&mut self, packet: P, cause: Cause, _now: Time) {
        self.count_dropped(&packet, cause);
    }

    fn marked(&mut self, packet: &P, cause: Cause, _now: Time) {
        self.count_marked(packet, cause);
    }
}

/// The state of a controller.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stats {
    /// There is no controller.
    Fifo,
    /// RED.
    Red {
        /// The average length of the queue, in bytes or packets as configured.
        average: f64,
        /// The drop probability at the upper threshold.
        max_probability: f64,
    },
    /// BLUE.
    Blue {
        /// The drop probability.
        probability: f64,
    },
    /// CoDel.
    CoDel {
        /// Drops and marks in this drop state.
        count: u32,
        /// The value of `count` when the drop state was last entered.
        lastcount: u32,
        /// The sojourn of the last packet that left.
        ldelay: Span,
        /// The time of the next drop, relative to now; `None` outside the drop state.
        drop_next: Option<DueIn>,
        /// The length of the longest packet that left.
        maxpacket: Bytes,
    },
    /// FQ-CoDel.
    FqCoDel {
        /// The length of the longest packet that left.
        maxpacket: Bytes,
        /// The number of times that an idle queue got a packet.
        new_flow_count: u64,
        /// Queues on the list of new ones.
        new_flows_len: u32,
        /// Queues on the list of old ones.
        old_flows_len: u32,
    },
    /// COBALT.
    Cobalt {
        /// Signals in this drop state, minus those that were taken back since.
        count: u32,
        /// The drop probability of its BLUE.
        p_drop: f64,
        /// The sojourn of the last packet that left.
        ldelay: Span,
        /// The time of the next signal, relative to now; `None` outside the drop state.
        drop_next: Option<DueIn>,
    },
    /// FQ-COBALT.
    FqCobalt {
        /// The number of times that an idle queue got a packet.
        new_flow_count: u64,
        /// Queues on the list of new ones.
        new_flows_len: u32,
        /// Queues on the list of old ones.
        old_flows_len: u32,
    },
    /// Stochastic Fair BLUE.
    Sfb {
        /// Packets dropped because the rate for unresponsive flows was spent.
        penalty_drops: u64,
        /// Packets dropped because all the bins of a flow were full.
        bucket_drops: u64,
        /// The packets in the fullest bin.
        maxqlen: u64,
        /// The greatest probability of a bin.
        maxprob: f64,
        /// The mean probability of all bins.
        avgprob: f64,
    },
    /// PIE.
    Pie {
        /// The drop probability.
        prob: f64,
        /// The queue's delay as last estimated.
        delay: Span,
        /// The dequeue rate in bytes per second; `None` if it is not measured.
        avg_dq_rate: Option<u64>,
        /// The most packets that have waited at once.
        maxq: u64,
    },
}

/// A time relative to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueIn {
    /// This long from now.
    Future(Span),
    /// This long ago.
    Past(Span),
}

impl DueIn {
    fn seen_from(now: Time, due: Time) -> Self {
        if due >= now { Self::Future(due.since(now)) } else { Self::Past(now.since(due)) }
    }
}

impl<P: Packet> Fifo<P, TailDrop> {
    /// [`Stats::Fifo`], since there is no controller.
    pub const fn stats(&self, _now: Time) -> Stats {
        Stats::Fifo
    }
}

impl<P: Packet> Fifo<P, Red> {
    /// The average queue length, and the maximum probability as adapted.
    pub fn stats(&self, _now: Time) -> Stats {
        Stats::Red {
            average: self.state().average(),
            max_probability: self.aqm().max_probability(self.state()).get(),
        }
    }
}

impl<P: Packet> Fifo<P, Blue> {
    /// The drop probability.
    pub const fn stats(&self, _now: Time) -> Stats {
        Stats::Blue { probability: self.state().probability().get() }
    }
}

impl<P: Packet> Fifo<P, CoDel> {
    /// The state of the control law.
    pub fn stats(&self, now: Time) -> Stats {
        let state = self.state();
        Stats::CoDel {
            count: state.count(),
            lastcount: state.lastcount(),
            ldelay: state.last_sojourn(),
            drop_next: state.is_dropping().then(|| DueIn::seen_from(now, state.drop_next())),
            maxpacket: self.aqm().largest_packet(),
        }
    }
}

impl<P: Flow> FqCoDel<P> {
    /// The lengths of the lists of queues, and the counter of new flows.
    pub const fn stats(&self, _now: Time) -> Stats {
        let (new_flows_len, old_flows_len) = self.listed();
        Stats::FqCoDel {
            maxpacket: self.aqm().largest_packet(),
            new_flow_count: self.new_flow_count(),
            new_flows_len,
            old_flows_len,
        }
    }
}

impl<P: Packet> Fifo<P, Cobalt> {
    /// The state of the control law, and BLUE's probability.
    pub fn stats(&self, now: Time) -> Stats {
        let state = self.state();
        Stats::Cobalt {
            count: state.count(),
            p_drop: state.p_drop(),
            ldelay: state.last_sojourn(),
            drop_next: state.is_dropping().then(|| DueIn::seen_from(now, state.drop_next())),
        }
    }
}

impl<P: Flow> FqCobalt<P> {
    /// The lengths of the lists of queues, and the counter of new flows.
    pub const fn stats(&self, _now: Time) -> Stats {
        let (new_flows_len, old_flows_len) = self.listed();
        let new_flow_count = self.new_flow_count();
        Stats::FqCobalt { new_flow_count, new_flows_len, old_flows_len }
    }
}

impl<P: Flow> Sfb<P> {
    /// The state of the bins, and the drops of each kind.
    pub fn stats(&self, _now: Time) -> Stats {
        let (maxqlen, maxprob, avgprob) = self.occupancy();
        Stats::Sfb {
            penalty_drops: self.penalty_drops(),
            bucket_drops: self.bin_drops(),
            maxqlen,
            maxprob: maxprob.get(),
            avgprob: avgprob.get(),
        }
    }
}

impl<P: Packet> Fifo<P, Pie> {
    /// The drop probability, and the measurements that it follows.
    pub fn stats(&self, _now: Time) -> Stats {
        let state = self.state();
        Stats::Pie {
            prob: state.probability(),
            delay: state.delay(),
            avg_dq_rate: self.aqm().measures_rate().then(|| state.dequeue_rate()),
            maxq: state.most_packets(),
        }
    }
}

/// All statistics of a queue; prints as `tc -s qdisc show` does, without the first line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// The counts of packets.
    pub tally: Tally,
    /// The packets and bytes that wait.
    pub backlog: Backlog,
    /// The state of the controller.
    pub stats: Stats,
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally, backlog, stats } = self;
        let overlimits = match stats {
            // sch_red.c counts its signals here.
            Stats::Red { .. } => tally.dropped_early + tally.marked,
            // sch_sfb.c: packets that did not fit, or exceeded the penalty rate.
            Stats::Sfb { penalty_drops, .. } => tally.overflowed + penalty_drops,
            _ => 0,
        };
        write!(f, " Sent {} bytes {} pkt", tally.sent.bytes.0, tally.sent.packets)?;
        writeln!(f, " (dropped {}, overlimits {overlimits} requeues 0)", tally.dropped())?;
        write!(f, " backlog {}b {}p requeues 0", backlog.bytes.0, backlog.packets)?;
        self.write_controller(f)
    }
}

impl Statistics {
    fn write_controller(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { overflowed, dropped_early, marked, .. } = self.tally;
        match self.stats {
            Stats::Fifo => Ok(()),
            Stats::Red { average, max_probability } => {
                write!(f, "\n  marked {marked} early {dropped_early} pdrop {overflowed} other 0")?;
                write!(f, "\n  average {average:.0} max_probability {max_probability:.4}")
            }
            Stats::Blue { probability } => {
                write!(f, "\n  marked {marked} early {dropped_early} pdrop {overflowed}")?;
                write!(f, " probability {probability:.6}")
            }
            Stats::CoDel { count, lastcount, ldelay, drop_next, maxpacket } => {
                let ldelay = Micros(ldelay);
                write!(f, "\n  count {count} lastcount {lastcount} ldelay {ldelay}")?;
                write_due(f, drop_next)?;
                write!(f, "\n  maxpacket {} ecn_mark {marked}", maxpacket.0)?;
                write!(f, " drop_overlimit {overflowed}")?;
                self.write_threshold_marks(f)
            }
            Stats::FqCoDel { maxpacket, new_flow_count, new_flows_len, old_flows_len } => {
                write!(f, "\n  maxpacket {} drop_overlimit {overflowed}", maxpacket.0)?;
                write!(f, " new_flow_count {new_flow_count} ecn_mark {marked}")?;
                self.write_threshold_marks(f)?;
                write!(f, "\n  new_flows_len {new_flows_len} old_flows_len {old_flows_len}")
            }
            Stats::Cobalt { count, p_drop, ldelay, drop_next } => {
                let ldelay = Micros(ldelay);
                write!(f, "\n  count {count} p_drop {p_drop:.6} ldelay {ldelay}")?;
                write_due(f, drop_next)?;
                write!(f, "\n  ecn_mark {marked} drop_overlimit {overflowed}")
            }
            Stats::FqCobalt { new_flow_count, new_flows_len, old_flows_len } => {
                write!(f, "\n  drop_overlimit {overflowed}")?;
                write!(f, " new_flow_count {new_flow_count} ecn_mark {marked}")?;
                write!(f, "\n  new_flows_len {new_flows_len} old_flows_len {old_flows_len}")
            }
            Stats::Pie { prob, delay, avg_dq_rate, maxq } => {
                self.write_pie(f, prob, delay, avg_dq_rate)?;
                write!(f, " maxq {maxq} ecn_mark {marked}")
            }
            Stats::Sfb { penalty_drops, bucket_drops, maxqlen, maxprob, avgprob } => {
                self.write_sfb_drops(f, penalty_drops, bucket_drops)?;
                write!(f, " marked {marked}\n  maxqlen {maxqlen}")?;
                write!(f, " maxprob {maxprob:.6} avgprob {avgprob:.6}")
            }
        }
    }

    fn write_pie(
        &self,
        f: &mut fmt::Formatter<'_>,
        prob: f64,
        delay: Span,
        avg_dq_rate: Option<u64>,
    ) -> fmt::Result {
        write!(f, "\n  prob {prob} delay {}", Micros(delay))?;
        if let Some(rate) = avg_dq_rate {
            write!(f, " avg_dq_rate {rate}")?;
        }
        let packets_in = self.tally.sent.packets + self.backlog.packets;
        let (overflowed, dropped) = (self.tally.overflowed, self.tally.dropped());
        write!(f, "\n  pkts_in {packets_in} overlimit {overflowed} dropped {dropped}")
    }

    fn write_sfb_drops(
        &self,
        f: &mut fmt::Formatter<'_>,
        penalty: u64,
        bucket: u64,
    ) -> fmt::Result {
        let early = self.tally.dropped_early.saturating_sub(penalty);
        let queue = self.tally.overflowed.saturating_sub(bucket);
        write!(f, "\n  earlydrop {early} penaltydrop {penalty}")?;
        write!(f, " bucketdrop {bucket} queuedrop {queue} childdrop 0")
    }

    fn write_threshold_marks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tally.marked_above_threshold {
            0 => Ok(()),
            marks => write!(f, " ce_mark {marks}"),
        }
    }
}

fn write_due(f: &mut fmt::Formatter<'_>, drop_next: Option<DueIn>) -> fmt::Result {
    match drop_next {
        Some(DueIn::Future(span)) => write!(f, " dropping drop_next {}", Micros(span)),
        Some(DueIn::Past(span)) => write!(f, " dropping drop_next -{}", Micros(span)),
        None => f.write_str(" drop_next 0us"),
    }
}

/// A time to the microsecond, as tc prints it.
struct Micros(Span);

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

    use units::{Rate, Rng};

    use super::*;
    use crate::history::Probe;
    use crate::{Dequeued, Ecn, LinkInfo, Qdisc, QdiscSpec};

    /// The output of `tc -s` after four packets of 1000 bytes, one of them sent after 2 ms.
    fn show(spec: &str) -> alloc::string::String {
        let link = LinkInfo { rate: Rate::from_mbit(10), mtu: Bytes(1514) };
        let mut queue = spec.parse::<QdiscSpec>().unwrap().build(link, Rng::new(1));
        let (mut tally, now) = (Tally::default(), Time::from_millis(2));
        for id in 0..4 {
            let (len, ecn) = (Bytes(1000), Ecn::Ect0);
            let packet = Probe { id, flow: 0, len, ecn, wronged: false, packets: 1 };
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
            wronged: false,
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
        let stats = Stats::CoDel { count: 3, lastcount: 1, ldelay, drop_next, maxpacket };
        let (tally, backlog) = (Tally::default(), Backlog::default());
        let shown = Statistics { tally, backlog, stats }.to_string();
        assert!(shown.contains("ldelay 5.123ms dropping drop_next -1.5ms\n"), "{shown}");
    }
}
