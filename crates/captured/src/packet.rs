//! A packet of a capture.

use units::Time;
use wire::Segment;

/// The bits of ECN that a queue sets (RFC 3168 section 5).
pub(crate) const CONGESTION_EXPERIENCED: u8 = 3;

/// A captured segment, with what its packet says beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Captured<'a> {
    pub(crate) segment: &'a Segment,
    pub(crate) ecn: u8,
    /// The identification of IPv4; `None` for IPv6.
    pub(crate) identification: Option<u16>,
    /// The number of the place at which the packet was seen.
    pub(crate) point: u64,
    pub(crate) at: Time,
}
