//! The way of a packet into its flow's queue.
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_select_tin`, `cake_enqueue`, `cake_drop`.

use units::{Bytes, Time};

use super::Cake;
use super::ack_filter::{AckFilter, Segment};
use super::diffserv::Diffserv;
use super::fattest::TinFlow;
use super::framing::Lengths;
use super::tin::Waiting;
use crate::{Backlog, Cause, Dscp, Headers, Signals};

impl<P: Headers> Cake<P> {
    /// The tin of a packet, whose code point is washed if it must be.
    pub(super) fn classify(&self, packet: &mut P, store: &P::Store) -> usize {
        let dscp = packet.dscp();
        if self.spec.wash && dscp != Dscp::default() {
            packet.set_dscp(Dscp::default());
        }
        let mark = match self.spec.fwmark {
            0 => 0,
            mask => ((packet.mark(store) & mask) >> mask.trailing_zeros()) as usize,
        };
        match mark {
            _ if self.spec.diffserv == Diffserv::BestEffort => 0,
            1.. if mark <= self.tins.len() => self.spec.diffserv.tin_in_order(mark - 1),
            _ => self.spec.diffserv.tin(dscp),
        }
    }

    /// Brings up clocks that lag behind since nothing was sent.
    pub(super) fn end_idleness(&mut self, tin: usize, now: Time) {
        let tin = &mut self.tins[tin];
        if tin.backlog.packets > 0 {
            return;
        }
        tin.clock.catch_up(now);
        if self.backlog.packets == 0 {
            self.overlimits += u64::from(self.shaper.not_before(now).is_some());
            self.shaper.catch_up(now);
        }
    }

    /// Appends a packet to its flow's queue, and drops the acknowledgement that it makes needless.
    /// Returns the length of that acknowledgement; zero if there is none.
    pub(super) fn append(
        &mut self,
        to: TinFlow,
        packet: P,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Bytes {
        let store = out.store();
        let more = Backlog::of(&packet);
        let lengths =
            Lengths { frame: more.bytes, packets: more.packets, ip: packet.ip_lens(store) };
        let charged = self.framer.charge(&lengths);
        let segment = (self.spec.ack_filter != AckFilter::Off).then(|| {
            // Linux does not ask the filter about the packets into which it divides a super-packet.
            let header =
                if self.spec.split_gso && more.packets > 1 { None } else { packet.tcp(store) };
            header.map(|header| Segment { flow: packet.flow_hash(self.salt), header })
        });
        self.tins[to.tin].push(to.flow, Waiting { packet, arrived: now, charged });
        self.backlog += more;
        self.memory.used += memory_of(more);
        let filter = self.spec.ack_filter;
        let needless =
            segment.and_then(|segment| self.tins[to.tin].filter(to.flow, segment, filter));
        let Some(needless) = needless else {
            self.backlogs.add(to, more.bytes);
            return Bytes::ZERO;
        };
        let less = Backlog::of(&needless.packet);
        self.backlog -= less;
        self.memory.used -= memory_of(less);
        self.backlogs.replace(to, less.bytes, more.bytes);
        self.charge_dropped(to.tin, &needless, now);
        out.dropped(needless.packet, Cause::Superseded, now);
        less.bytes
    }

    /// Drops the oldest packets of the flow with the most bytes until there is memory.
    pub(super) fn make_room(&mut self, now: Time, out: &mut dyn Signals<P>) {
        while self.memory.used > self.memory.limit
            && let Some(fattest) = self.backlogs.fattest()
            && let Some(waiting) = self.take(fattest)
        {
            let tin = &mut self.tins[fattest.tin];
            tin.overflow(fattest.flow, now);
            tin.counters.drops += waiting.packet.packets();
            self.charge_dropped(fattest.tin, &waiting, now);
            out.dropped(waiting.packet, Cause::Overflow, now);
        }
    }

    /// Follows the rate at which packets come.
    #[cold]
    #[inline(never)]
    pub(super) fn follow(&mut self, rate: u64) {
        self.rate = Some(rate).filter(|rate| *rate > 0);
        self.configure();
    }
}

/// The memory that Linux takes for a packet in one piece (`SKB_TRUESIZE`): 256 bytes of `sk_buff`,
/// and a power of two for headroom (64), packet and `skb_shared_info` (320).
pub(super) fn memory_of(packet: Backlog) -> Bytes {
    let Backlog { packets, bytes } = packet;
    // Most packets are one, which takes no division.
    let each = if packets == 1 { bytes } else { bytes / packets.max(1) };
    let buffer = (each.0 + 64 + 320).next_power_of_two().max(512);
    Bytes(256 + buffer) * packets
}
