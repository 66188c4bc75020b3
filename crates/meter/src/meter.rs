//! The statistics of one direction of a link.

use qdisc::{Backlog, Cause};
use results::{DelaySpread, DirectionResult, MeanMax, Sojourn};
use stats::{Histogram, TimeWeighted};
use units::{Bytes, Span, Time};

use crate::{Counters, Tag};

/// The statistics of one direction, from the signals of its link. A packet that stands for several
/// counts as that many.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    counters: Counters,
    /// The counters when the statistics began.
    before: Counters,
    sojourn: Histogram,
    backlog_packets: TimeWeighted,
    backlog_bytes: TimeWeighted,
}

impl Meter {
    /// The meter of a queue that is empty at this time.
    pub(crate) fn new(at: Time) -> Self {
        Self {
            counters: Counters::default(),
            before: Counters::default(),
            sojourn: Histogram::new(),
            backlog_packets: TimeWeighted::new(at),
            backlog_bytes: TimeWeighted::new(at),
        }
    }

    /// Begins the statistics.
    pub(crate) fn reset(&mut self, now: Time) {
        self.before = self.counters;
        self.sojourn = Histogram::new();
        self.backlog_packets.reset(now);
        self.backlog_bytes.reset(now);
    }

    /// The counters since the beginning.
    pub(crate) const fn counters(&self) -> Counters {
        self.counters
    }

    /// The counts since the statistics began.
    pub(crate) fn counted(&self) -> Counters {
        self.counters - self.before
    }

    /// The sojourns since the statistics began, in nanoseconds.
    pub(crate) const fn sojourn(&self) -> &Histogram {
        &self.sojourn
    }

    /// Counts packets that have reached the far end.
    #[inline]
    pub(crate) fn delivered(&mut self, packets: u64, bytes: Bytes) {
        self.counters.delivered_packets += packets;
        self.counters.delivered_bytes += bytes.0;
    }

    /// Notes the backlog from now on.
    #[inline]
    pub(crate) fn waits(&mut self, backlog: Backlog, now: Time) {
        if backlog.packets != self.backlog_packets.value() {
            self.backlog_packets.set(backlog.packets, now);
        }
        if backlog.bytes.0 != self.backlog_bytes.value() {
            self.backlog_bytes.set(backlog.bytes.0, now);
        }
    }

    /// Counts a packet that the queue has dropped.
    #[inline]
    pub(crate) fn dropped(&mut self, tag: &Tag, cause: Cause) {
        match cause {
            Cause::Overflow => self.counters.drops.full += tag.packets,
            Cause::Discarded => {
                self.counters.drops.full += tag.packets;
                self.counters.discarded += tag.packets;
                self.counters.discarded_bytes += tag.bytes.0;
            }
            Cause::Superseded => self.counters.drops.ack_filter += tag.packets,
            _ => self.counters.drops.aqm += tag.packets,
        }
    }

    /// Counts a packet that the queue has marked.
    #[inline]
    pub(crate) fn marked(&mut self, tag: &Tag, cause: Cause) {
        self.counters.marks += tag.packets;
        if cause == Cause::Threshold {
            self.counters.threshold_marks += tag.packets;
        }
    }

    /// Counts packets that go from the queue, each after this sojourn, onto the wire.
    #[inline]
    pub(crate) fn departed(&mut self, packets: u64, bytes: Bytes, sojourn: Span) {
        self.sojourn.record_many(sojourn.as_nanos(), packets);
        self.counters.departed += packets;
        self.counters.departed_bytes += bytes.0;
        self.counters.waited_nanos += sojourn.as_nanos() * packets;
    }

    /// Counts a departed packet that the wire has lost.
    #[inline]
    pub(crate) fn lost(&mut self, tag: &Tag) {
        self.counters.drops.loss += tag.packets;
    }

    /// The results of `from..now`, if the statistics began at `from`. `capacity` is the most that
    /// the wire could have carried in that time; `None` if it has no limit. Missing are the name of
    /// the queue, the fairness (`fairness`), and the grade (`Others`).
    pub(crate) fn direction(
        &self,
        from: Time,
        now: Time,
        capacity: Option<Bytes>,
    ) -> DirectionResult {
        let counted = self.counted();
        let seconds = now.since(from).as_secs_f64();
        let capacity = capacity.filter(|capacity| capacity.0 > 0);
        DirectionResult {
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

/// The share of the packets that left the queue and did not reach the far end; `None` if it is too
/// small to mention.
fn other_loss(counted: Counters) -> Option<f64> {
    let lost = counted.drops.loss as f64;
    let share = stats::ratio(lost, counted.departed as f64)?;
    diagnose::grade::other_loss(share)
}

#[cfg(test)]
mod tests;
