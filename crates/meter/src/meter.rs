//! The statistics of one direction of a link.

use qdisc::{Backlog, Cause, Packet};
use results::{DelaySpread, Direction, MeanMax, Sojourn};
use stats::{Histogram, TimeWeighted};
use units::{Bytes, Span, Time};

use crate::Counters;

/// The statistics of one direction, fed with the link's signals. A packet that stands for several
/// ([`Packet::packets`]) counts as that many.
#[derive(Clone, Debug)]
pub struct Meter {
    counters: Counters,
    /// The counters when the statistics began.
    before: Counters,
    sojourn: Histogram,
    backlog_packets: TimeWeighted,
    backlog_bytes: TimeWeighted,
}

impl Meter {
    /// The meter of a queue that is empty at this time.
    pub fn new(at: Time) -> Self {
        Self {
            counters: Counters::default(),
            before: Counters::default(),
            sojourn: Histogram::new(),
            backlog_packets: TimeWeighted::new(at),
            backlog_bytes: TimeWeighted::new(at),
        }
    }

    /// Begins the statistics.
    pub fn reset(&mut self, now: Time) {
        self.before = self.counters;
        self.sojourn = Histogram::new();
        self.backlog_packets.reset(now);
        self.backlog_bytes.reset(now);
    }

    /// The counters since the beginning.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// The counts since the statistics began.
    pub fn counted(&self) -> Counters {
        self.counters - self.before
    }

    /// The sojourns since the statistics began, in nanoseconds.
    pub const fn sojourn(&self) -> &Histogram {
        &self.sojourn
    }

    /// Counts a packet that has arrived at the far end.
    #[inline]
    pub fn arrived<P: Packet>(&mut self, packet: &P) {
        self.counters.delivered_packets += packet.packets();
        self.counters.delivered_bytes += packet.len().0;
    }

    /// Notes the backlog from now on.
    #[inline]
    pub fn waits(&mut self, backlog: Backlog, now: Time) {
        if backlog.packets != self.backlog_packets.value() {
            self.backlog_packets.set(backlog.packets, now);
        }
        if backlog.bytes.0 != self.backlog_bytes.value() {
            self.backlog_bytes.set(backlog.bytes.0, now);
        }
    }

    /// Counts a packet that the queue has dropped.
    #[inline]
    pub fn dropped<P: Packet>(&mut self, packet: &P, cause: Cause) {
        match cause {
            Cause::Overflow => self.counters.drops.full += packet.packets(),
            _ => self.counters.drops.aqm += packet.packets(),
        }
    }

    /// Counts a packet that the queue has marked.
    #[inline]
    pub fn marked<P: Packet>(&mut self, packet: &P) {
        self.counters.marks += packet.packets();
    }

    /// Counts a packet that goes from the queue, after this sojourn, onto the wire.
    #[inline]
    pub fn departed<P: Packet>(&mut self, packet: &P, sojourn: Span) {
        let packets = packet.packets();
        self.sojourn.record_many(sojourn.as_nanos(), packets);
        self.counters.departed += packets;
        self.counters.departed_bytes += packet.len().0;
        self.counters.waited_nanos += sojourn.as_nanos() * packets;
    }

    /// Counts a departed packet that the wire has lost.
    #[inline]
    pub fn lost<P: Packet>(&mut self, packet: &P) {
        self.counters.drops.loss += packet.packets();
    }

    /// The results of `from..now`, if the statistics began at `from`. In that time the wire could
    /// have carried `capacity`; `None` if it has no limit. Not filled in are the queue's name,
    /// fairness, which needs the flows ([`fairness`](crate::fairness)), and the grade
    /// ([`Others`](crate::Others)).
    pub fn direction(&self, from: Time, now: Time, capacity: Option<Bytes>) -> Direction {
        let counted = self.counted();
        let seconds = now.since(from).as_secs_f64();
        let capacity = capacity.filter(|capacity| capacity.0 > 0);
        Direction {
            queue: String::new(),
            delivered_packets: counted.delivered_packets,
            delivered_bytes: counted.delivered_bytes,
            rate_mbit: (seconds > 0.0).then(|| counted.delivered_bytes as f64 * 8e-6 / seconds),
            // A packet counts as a whole when its first bit is sent, though its last bit may be
            // sent after the end.
            utilisation: capacity
                .map(|bytes| (counted.departed_bytes as f64 / bytes.0 as f64).min(1.0)),
            drops: counted.drops,
            marks: counted.marks,
            sojourn_ms: Sojourn::of(&self.sojourn),
            others_wait_ms: DelaySpread::default(),
            filled_s: None,
            grade: None,
            grade_reason: None,
            backlog_packets: MeanMax::of(&self.backlog_packets, now),
            backlog_bytes: MeanMax::of(&self.backlog_bytes, now),
            goodput_mbit: None,
            other_loss: other_loss(counted),
            jain_goodput: None,
            jain_drops: None,
        }
    }
}

/// The share of the packets that left the queue and did not arrive; `None` if it is too small to
/// mention.
fn other_loss(counted: Counters) -> Option<f64> {
    let lost = counted.drops.loss as f64;
    let share = stats::ratio(lost, counted.departed as f64)?;
    diagnose::grade::other_loss(share)
}

#[cfg(test)]
mod tests;
