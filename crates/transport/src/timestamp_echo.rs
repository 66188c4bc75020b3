//! The choice of the peer's timestamp to echo.
//!
//! The echo lets the peer measure a round trip that includes the delay of the acknowledgement. The
//! echoed timestamp is that of the first segment that an acknowledgement covers, or, when there is
//! a gap, that of the last segment in order.
//!
//! Specification: RFC 7323 sections 3.2 and 4.3.
//!
//! Deviations: none. Segments are not refused for old timestamps (section 5, PAWS): sequence
//! numbers do not wrap here.

use units::Time;

use crate::rtt::timestamp;
use crate::segment::{Segment, Timestamps};

/// The peer's timestamp to echo.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimestampEcho {
    /// True if timestamps were negotiated.
    pub(crate) enabled: bool,
    /// The timestamp: TS.Recent.
    recent: u32,
}

impl TimestampEcho {
    /// Takes the timestamp of a SYN.
    pub(crate) fn begin(&mut self, value: u32) {
        self.recent = value;
    }

    /// Takes the timestamp of a segment up to Last.ACK.sent, unless it is older than the present
    /// one (RFC 7323 section 4.3 rule 2).
    pub(crate) fn on_segment(&mut self, segment: &Segment, last_ack: u64) {
        if let Some(Timestamps { value, .. }) = segment.timestamps
            && segment.seq <= last_ack
            && value.wrapping_sub(self.recent) as i32 >= 0
        {
            self.recent = value;
        }
    }

    /// The option of a segment that is sent now.
    pub(crate) fn option(&self, now: Time) -> Timestamps {
        Timestamps { value: timestamp(now), echo: self.recent }
    }
}
