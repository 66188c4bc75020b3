//! What a queue may look at in a packet. The bounds of an algorithm document what it needs.

use units::Bytes;

/// The ECN field of the IP header (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// The transport does not understand ECN.
    #[default]
    NotEct = 0b00,
    /// ECN-capable; also the identifier of L4S (RFC 9331).
    Ect1 = 0b01,
    /// ECN-capable.
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl Ecn {
    /// May this packet be marked in place of being dropped?
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }
}

/// Anything that can wait in a queue.
#[expect(clippy::len_without_is_empty, reason = "a packet has a length; an empty one is no packet")]
pub trait Packet {
    /// The length that the queue accounts for: on Linux the frame without its checksum.
    fn len(&self) -> Bytes;

    /// The ECN field.
    fn ecn(&self) -> Ecn;

    /// Sets congestion experienced. Called only when [`ecn`](Self::ecn) is capable.
    fn set_ce(&mut self);
}

/// A packet that belongs to a flow, which fair queueing needs.
pub trait Flow: Packet {
    /// A hash over what tells flows apart (commonly the 5-tuple), keyed by `salt`.
    fn flow_hash(&self, salt: u64) -> u32;
}
