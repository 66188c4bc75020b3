//! The instruments at one direction of a link.

use qdisc::{Backlog, Cause};
use units::{DirectionId, Span, Time};

use crate::hop_table::HopTable;
use crate::{DirectionRecorder, FateRecorder, Meter, Passage, Tag};

/// The instruments at one direction of a link, to which each of its events is reported: to the
/// meter of the direction, to the counts of the packet's flow there, and to the timeline and the
/// table of fates if there are any.
#[derive(Debug)]
pub struct Tap<'a, W> {
    pub(super) direction: DirectionId,
    pub(super) meter: &'a mut Meter,
    pub(super) hops: &'a mut HopTable,
    pub(super) timeline: Option<&'a mut DirectionRecorder>,
    pub(super) fates: Option<&'a mut FateRecorder<W>>,
}

impl<W: std::io::Write> Tap<'_, W> {
    /// A packet is offered to the queue.
    #[inline]
    pub fn offered(&mut self, tag: &Tag) {
        self.hops.offered(self.direction, tag);
    }

    /// The queue drops a packet. `offered` tells when the packet was offered to it, and is called
    /// if there is a table of fates.
    pub fn dropped(&mut self, tag: &Tag, cause: Cause, offered: impl FnOnce() -> Time) {
        self.meter.dropped(tag, cause);
        self.hops.dropped(self.direction, tag);
        if let Some(fates) = &mut self.fates {
            let passage = Passage { direction: self.direction, tag: *tag, offered: offered() };
            fates.dropped(&passage, cause);
        }
    }

    /// The queue marks a packet.
    pub fn marked(&mut self, tag: &Tag) {
        self.meter.marked(tag);
        self.hops.marked(self.direction, tag);
    }

    /// A packet leaves the queue after this sojourn, and goes onto the wire.
    #[inline]
    pub fn departed(&mut self, tag: &Tag, sojourn: Span, now: Time) {
        self.meter.departed(tag, sojourn);
        if let Some(timeline) = &mut self.timeline {
            timeline.departed(sojourn);
        }
        if let Some(fates) = &mut self.fates {
            let passage = Passage { direction: self.direction, tag: *tag, offered: now - sojourn };
            fates.departed(&passage, now);
        }
    }

    /// The wire loses the packet that departed last.
    pub fn lost(&mut self, tag: &Tag) {
        self.meter.lost(tag);
        self.hops.dropped(self.direction, tag);
        if let Some(fates) = &mut self.fates {
            fates.lost();
        }
    }

    /// A packet has reached the far end.
    #[inline]
    pub fn delivered(&mut self, tag: &Tag) {
        self.meter.delivered(tag);
    }

    /// The queue has this backlog from now on.
    #[inline]
    pub fn waits(&mut self, backlog: Backlog, now: Time) {
        self.meter.waits(backlog, now);
        if let Some(timeline) = &mut self.timeline {
            timeline.waits(backlog.packets);
        }
    }
}
