//! The properties of a packet by which it is counted.

use units::Bytes;

/// The properties of a packet at one direction of a link, as the driver knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The number of the packet's flow in the [`Network`](crate::Network). Packets of no flow have
    /// a higher number than its flows.
    pub flow: u32,
    /// The number of packets that this one stands for: 1, or more for a piece of a super-packet.
    pub packets: u64,
    /// The sum of the packets' lengths as the queue counts them, with framing.
    pub bytes: Bytes,
    /// True if the queue of this direction has marked the packet.
    pub is_marked: bool,
}
