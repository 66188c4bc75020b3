//! A packet that arrives at the queue.

use qdisc::Ecn;
use units::Time;

/// A packet that arrives at the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// The time of arrival, not before that of the previous packet.
    pub(crate) time: Time,
    /// The length of the packet in bytes as the queue counts it; not zero.
    pub(crate) bytes: u32,
    /// A hash of the fields that identify the packet's flow.
    pub(crate) flow: u32,
    /// The ECN field.
    pub(crate) ecn: Ecn,
    /// The DSCP, 0 to 63.
    pub(crate) dscp: u8,
}
