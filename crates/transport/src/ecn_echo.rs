//! The echo by which a receiver returns congestion marks.
//!
//! From the first mark on, every acknowledgement carries the echo, until the sender reports (CWR)
//! that it has reduced its window. So the loss of an acknowledgement loses no mark, and a sender
//! reacts once a round trip.
//!
//! Specification: RFC 3168 section 6.1.3.
//!
//! Deviations: none. As in Linux, the first mark is acknowledged without delay, and so is a
//! segment that was not sent as ECN-capable after others were: it is probably a retransmission.

use crate::segment::{Flags, Segment};

/// The urgency of a segment's acknowledgement because of its mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// No more urgent than without ECN.
    None,
    /// The segment and the next one are acknowledged at once: the sender's window may be very
    /// small.
    Quick,
    /// The segment is acknowledged at once: the sender has just reduced its window.
    Now,
}

/// The receiver's part of ECN.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EcnEcho {
    /// True if ECN was negotiated.
    pub(crate) enabled: bool,
    echoing: bool,
    capable_seen: bool,
}

impl EcnEcho {
    /// True if acknowledgements carry the echo.
    pub(crate) const fn echoing(&self) -> bool {
        self.echoing
    }

    /// Takes a segment with data, marked if `ce`, and returns the urgency of its acknowledgement.
    pub(crate) fn on_data(&mut self, segment: &Segment, ce: bool) -> Urgency {
        if !self.enabled {
            return Urgency::None;
        }
        let reduced = segment.flags.has(Flags::CWR);
        if reduced {
            self.echoing = false;
        }
        let retransmitted = !segment.ect && !ce && self.capable_seen;
        let first_mark = ce && !self.echoing;
        self.echoing |= ce;
        self.capable_seen |= ce || segment.ect;
        match (reduced, first_mark || retransmitted) {
            (true, _) => Urgency::Now,
            (false, true) => Urgency::Quick,
            (false, false) => Urgency::None,
        }
    }
}
