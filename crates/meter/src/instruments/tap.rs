//! The instruments at one direction of a link.

use qdisc::{Backlog, Cause};
use units::{Bytes, DirectionId, Span, Time};

use super::direction_counts::DirectionCounts;
use crate::hop_table::HopTable;
use crate::{DirectionRecorder, FateRecorder, Passage, StayRecorder, Tag};

/// The instruments at one direction of a link. Each event there is reported to the tap, which
/// passes it on to the meter of the direction, to the counts of the packet's flow, and to the
/// timeline and the table of fates if there are any.
pub struct Tap<'a> {
    pub(super) direction: DirectionId,
    pub(super) counts: &'a mut DirectionCounts,
    pub(super) hops: &'a mut HopTable,
    pub(super) timeline: Option<&'a mut DirectionRecorder>,
    pub(super) fates: Option<&'a mut FateRecorder>,
    pub(super) stays: Option<&'a mut StayRecorder>,
}

impl Tap<'_> {
    /// Records a packet that is offered to the queue.
    #[inline]
    pub fn offered(&mut self, tag: &Tag) {
        self.hops.offered(self.counts.row, tag);
    }

    /// Records a packet that the queue drops; a filtered acknowledgement is no loss of its flow.
    /// `offered` returns the time at which the packet was
    /// offered to the queue, and is called if there is a table of fates.
    pub fn dropped(&mut self, tag: &Tag, cause: Cause, offered: impl FnOnce() -> Time) {
        self.counts.meter.dropped(tag, cause);
        if cause != Cause::Superseded {
            self.hops.dropped(self.counts.row, tag);
        }
        if let Some(fates) = &mut self.fates {
            let passage = Passage { direction: self.direction, tag: *tag, offered: offered() };
            fates.dropped(&passage, cause);
        }
    }

    /// Records that the stay of a dropped packet ends now, if stays are recorded here.
    pub fn stay_ends(&mut self, tag: &Tag, now: Time, offered: impl FnOnce() -> Time) {
        if let Some(stays) = &mut self.stays {
            stays.left(tag, offered(), now, true);
        }
    }

    /// Records a packet that the queue marks.
    pub fn marked(&mut self, tag: &Tag, cause: Cause) {
        self.counts.meter.marked(tag, cause);
        self.hops.marked(self.counts.row, tag);
    }

    /// Records a packet that leaves the queue after this sojourn, and goes onto the wire.
    #[inline]
    pub fn departed(&mut self, tag: &Tag, sojourn: Span, now: Time) {
        self.counts.meter.departed(tag.packets, tag.bytes, sojourn);
        if let Some(timeline) = &mut self.timeline {
            timeline.departed(sojourn);
        }
        if let Some(fates) = &mut self.fates {
            let passage = Passage { direction: self.direction, tag: *tag, offered: now - sojourn };
            fates.departed(&passage, now);
        }
        if let Some(stays) = &mut self.stays {
            stays.left(tag, now - sojourn, now, false);
        }
    }

    /// Records packets that leave the queue after this sojourn. They are in no table of fates, and not
    /// among the recorded stays.
    #[inline]
    pub fn left(&mut self, amount: Backlog, sojourn: Span) {
        self.counts.meter.departed(amount.packets, amount.bytes, sojourn);
        if let Some(timeline) = &mut self.timeline {
            timeline.departed(sojourn);
        }
    }

    /// Records packets that went onto the wire without a wait, while no packet waited. They are in no
    /// table of fates, and not among the recorded stays.
    #[inline]
    pub fn passed(&mut self, packets: u64, bytes: Bytes) {
        self.counts.meter.departed(packets, bytes, Span::ZERO);
        if let Some(timeline) = &mut self.timeline {
            timeline.passed();
        }
    }

    /// Records that the wire loses the packet that departed last.
    pub fn lost(&mut self, tag: &Tag) {
        self.counts.meter.lost(tag);
        self.hops.dropped(self.counts.row, tag);
        if let Some(fates) = &mut self.fates {
            fates.lost();
        }
    }

    /// Records a packet that has reached the far end.
    #[inline]
    pub fn delivered(&mut self, tag: &Tag) {
        self.counts.meter.delivered(tag.packets, tag.bytes);
    }

    /// Records the backlog that the queue has from now on.
    #[inline]
    pub fn waits(&mut self, backlog: Backlog, now: Time) {
        self.counts.meter.waits(backlog, now);
        if let Some(timeline) = &mut self.timeline {
            timeline.waits(backlog.packets);
        }
    }
}
