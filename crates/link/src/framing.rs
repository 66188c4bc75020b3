//! The bytes that a wire adds to each packet.

use units::Bytes;

/// Bytes that this wire adds to each IP packet.
///
/// On Linux the queue and the wire both see the frame: an IP packet of 1500 bytes counts as 1514
/// bytes on Ethernet. A link therefore asks a packet for one length only, [`qdisc::Packet::len`],
/// and the code that offers the packet to a link sets that length, once a hop:
///
/// ```
/// # use link::Framing; use units::Bytes;
/// let ethernet = Framing { overhead: Bytes(14) };
/// assert_eq!(ethernet.frame(Bytes(1500)), Bytes(1514));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// The number of bytes added to each packet; 14 is Ethernet as Linux counts it, without
    /// checksum, preamble and gap. Default 0: the wire carries bare IP packets.
    pub overhead: Bytes,
}

impl Framing {
    /// The length on this wire of an IP packet that is `packet` bytes long.
    #[inline]
    pub fn frame(self, packet: Bytes) -> Bytes {
        packet + self.overhead
    }
}
