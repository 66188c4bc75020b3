//! Fills the timeline of one direction of a link.

use results::{DirectionTimeline, milliseconds};
use units::{Bytes, Span};

use super::ranges::{Range, Ranges};
use super::sums::Sums;

/// The recorder of the events on one direction of a link.
#[derive(Clone, Debug)]
pub(crate) struct DirectionRecorder {
    /// Sojourns in nanoseconds.
    sojourn: Ranges,
    /// Packets in the queue.
    backlog: Ranges,
    /// The number of packets that wait now.
    waiting: u64,
    delivered_bytes: Sums,
    drops: Sums,
    marks: Sums,
}

impl DirectionRecorder {
    pub(super) fn new(steps: usize) -> Self {
        Self {
            sojourn: Ranges::new(steps, Range::EMPTY, milliseconds),
            backlog: Ranges::new(steps, Range::of(0), |packets| packets as f64),
            waiting: 0,
            delivered_bytes: Sums::new(steps),
            drops: Sums::new(steps),
            marks: Sums::new(steps),
        }
    }

    /// Records that a packet has left the queue after this sojourn.
    #[inline]
    pub(crate) fn departed(&mut self, sojourn: Span) {
        self.sojourn.include(sojourn.as_nanos());
    }

    /// Records that packets have gone onto the wire without a wait, while no packet waited.
    pub(crate) fn passed(&mut self) {
        self.sojourn.include(0);
        self.backlog.include(0);
    }

    /// Records that this number of packets waits from now on.
    #[inline]
    pub(crate) fn waits(&mut self, packets: u64) {
        self.waiting = packets;
        self.backlog.include(packets);
    }

    /// Records bytes that were delivered at the far end.
    #[inline]
    pub(super) fn delivered(&mut self, bytes: Bytes) {
        self.delivered_bytes.add(bytes.0);
    }

    /// Records packets that were dropped or lost.
    #[inline]
    pub(super) fn dropped(&mut self, packets: u64) {
        self.drops.add(packets);
    }

    /// Records packets that were marked.
    #[inline]
    pub(super) fn marked(&mut self, packets: u64) {
        self.marks.add(packets);
    }

    pub(super) fn end_step(&mut self) {
        self.sojourn.end_step(Range::EMPTY);
        self.backlog.end_step(Range::of(self.waiting));
        [&mut self.delivered_bytes, &mut self.drops, &mut self.marks]
            .into_iter()
            .for_each(Sums::end_step);
    }

    pub(super) fn join_steps(&mut self) {
        [&mut self.sojourn, &mut self.backlog].into_iter().for_each(Ranges::join_steps);
        [&mut self.delivered_bytes, &mut self.drops, &mut self.marks]
            .into_iter()
            .for_each(Sums::join_steps);
    }

    pub(super) fn finish(self) -> DirectionTimeline {
        DirectionTimeline {
            sojourn_ms: self.sojourn.finish(),
            backlog_packets: self.backlog.finish(),
            delivered_bytes: self.delivered_bytes.finish(),
            drops: self.drops.finish(),
            marks: self.marks.finish(),
        }
    }
}
