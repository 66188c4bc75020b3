//! The properties of a packet that a queue may read. The trait bounds of an algorithm show which of
//! them it needs.

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
    /// The field in the two low bits of `bits`.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// True if this packet may be marked in place of being dropped.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }
}

/// The ECN field of a packet, and whether the queue that holds the packet has marked it: storage
/// for [`Packet::ecn`] and [`Packet::set_ce`].
///
/// The type is an integer so that packets are copied whole. In the spare values of a bool or an
/// enum the compiler would store the variants of enclosing enums, and then copy them in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marking(u8);

impl Marking {
    /// The bit above those of the ECN field, set when a queue marks the packet.
    const HERE: u8 = 0b100;

    /// The marking of a packet with this ECN field that no queue has marked yet.
    #[inline]
    pub const fn of(ecn: Ecn) -> Self {
        Self(ecn as u8)
    }

    /// The ECN field.
    #[inline]
    pub const fn ecn(self) -> Ecn {
        Ecn::from_bits(self.0)
    }

    /// True if the queue that holds the packet has marked it.
    #[inline]
    pub const fn is_marked_here(self) -> bool {
        self.0 & Self::HERE != 0
    }

    /// Marks the packet on behalf of the queue that holds it.
    #[inline]
    pub const fn set_ce(&mut self) {
        self.0 = Ecn::Ce as u8 | Self::HERE;
    }

    /// Prepares the packet for the next queue: keeps its ECN field, but not that this queue marked
    /// it.
    #[inline]
    pub const fn move_on(&mut self) {
        self.0 &= !Self::HERE;
    }
}

/// Anything that can wait in a queue.
#[expect(clippy::len_without_is_empty, reason = "a packet has a length; an empty one is no packet")]
pub trait Packet {
    /// The length that the queue accounts for: on Linux, that of the frame without its checksum.
    fn len(&self) -> Bytes;

    /// The number of packets on the wire: one, or several for a piece of a super-packet that a
    /// kernel has yet to segment. Limits and backlogs in packets count all of them. They are sent,
    /// marked or dropped together: controllers judge the piece once, as Linux's judge a
    /// super-packet.
    #[inline]
    fn packets(&self) -> u64 {
        1
    }

    /// The ECN field.
    fn ecn(&self) -> Ecn;

    /// Sets congestion experienced. Called only when [`ecn`](Self::ecn) is capable.
    fn set_ce(&mut self);
}

/// A packet that belongs to a flow, which fair queueing needs.
pub trait Flow: Packet {
    /// A hash, keyed by `salt`, over the fields that identify a flow (commonly the 5-tuple).
    fn flow_hash(&self, salt: u64) -> u32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ecn_field_is_the_low_two_bits() {
        for ecn in [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
            assert_eq!([0, 0b1111_1100].map(|above| Ecn::from_bits(above | ecn as u8)), [ecn; 2]);
        }
    }

    #[test]
    fn only_what_this_queue_marks_is_marked_here() {
        for ecn in [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
            let mut marking = Marking::of(ecn);
            assert_eq!((marking.ecn(), marking.is_marked_here()), (ecn, false));
            marking.set_ce();
            assert_eq!((marking.ecn(), marking.is_marked_here()), (Ecn::Ce, true));
            marking.move_on();
            assert_eq!((marking.ecn(), marking.is_marked_here()), (Ecn::Ce, false));
        }
    }
}
