//! The bytes that a wire adds to each packet.

use units::Bytes;

pub use qdisc::disciplines::cake::Cells;

/// Bytes that this wire adds to each IP packet.
///
/// On Linux the queue and the wire both see the frame: an IP packet of 1500 bytes counts as 1514
/// bytes on Ethernet. A link therefore asks a packet for one length only, [`qdisc::Packet::len`],
/// and the code that offers the packet to a link sets that length, once a hop:
///
/// ```
/// # use link::{Cells, Framing}; use units::Bytes;
/// let ethernet = Framing { overhead: Bytes(14), ..Framing::default() };
/// assert_eq!(ethernet.frame(Bytes(1500)), Bytes(1514));
/// let adsl = Framing { overhead: Bytes(40), cells: Cells::Atm };
/// assert_eq!(adsl.frame(Bytes(1500)), Bytes(33 * 53));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// The number of bytes added to each packet; 14 is Ethernet as Linux counts it, without
    /// checksum, preamble and gap. Default 0: the wire carries bare IP packets.
    pub overhead: Bytes,
    /// The cells that carry the packets with what is added to them. Default: none.
    pub cells: Cells,
}

impl Framing {
    /// The length on this wire of an IP packet that is `packet` bytes long.
    #[inline]
    pub const fn frame(self, packet: Bytes) -> Bytes {
        self.cells.on_link(Bytes(packet.0 + self.overhead.0))
    }
}
