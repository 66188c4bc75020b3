//! Fills the timeline of one direction of a link.

use units::{Bytes, Span};

use super::range::{Range, join_sums, milliseconds};
use super::{DirectionTimeline, Extremes};

/// Records the events on one direction of a link.
#[derive(Clone, Debug)]
pub struct DirectionRecorder {
    pub(super) timeline: DirectionTimeline,
    sojourn: Range,
    backlog: Range,
    /// Packets that wait now.
    waiting: u64,
    delivered_bytes: u64,
    drops: u64,
    marks: u64,
}

impl DirectionRecorder {
    pub(super) fn new(steps: usize) -> Self {
        let timeline = DirectionTimeline {
            sojourn_ms: Extremes::with_capacity(steps),
            backlog_packets: Extremes::with_capacity(steps),
            delivered_bytes: Vec::with_capacity(steps),
            drops: Vec::with_capacity(steps),
            marks: Vec::with_capacity(steps),
        };
        let (sojourn, backlog) = (Range::EMPTY, Range::of(0));
        Self { timeline, sojourn, backlog, waiting: 0, delivered_bytes: 0, drops: 0, marks: 0 }
    }

    /// Records that a packet has left the queue after this sojourn.
    #[inline]
    pub fn departed(&mut self, sojourn: Span) {
        self.sojourn.include(sojourn.as_nanos());
    }

    /// Records that this number of packets waits from now on.
    #[inline]
    pub fn waits(&mut self, packets: u64) {
        self.waiting = packets;
        self.backlog.include(packets);
    }

    /// Records bytes that arrived at the far end.
    #[inline]
    pub fn delivered(&mut self, bytes: Bytes) {
        self.delivered_bytes += bytes.0;
    }

    /// Records packets that were dropped or lost.
    #[inline]
    pub fn dropped(&mut self, packets: u64) {
        self.drops += packets;
    }

    /// Records packets that were marked.
    #[inline]
    pub fn marked(&mut self, packets: u64) {
        self.marks += packets;
    }

    pub(super) fn close_step(&mut self) {
        let backlog = std::mem::replace(&mut self.backlog, Range::of(self.waiting));
        let timeline = &mut self.timeline;
        timeline.sojourn_ms.push(self.sojourn.take(), milliseconds);
        timeline.backlog_packets.push(backlog, |packets| packets as f64);
        timeline.delivered_bytes.push(std::mem::take(&mut self.delivered_bytes));
        timeline.drops.push(std::mem::take(&mut self.drops));
        timeline.marks.push(std::mem::take(&mut self.marks));
    }

    pub(super) fn join_steps(&mut self) {
        self.timeline.sojourn_ms.join_steps();
        self.timeline.backlog_packets.join_steps();
        join_sums(&mut self.timeline.delivered_bytes);
        join_sums(&mut self.timeline.drops);
        join_sums(&mut self.timeline.marks);
    }
}
