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
    /// The field whose two bits are the low ones of `bits`.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// May this packet be marked in place of being dropped?
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }
}

/// The ECN field of a packet, and whether the queue that it is in has marked it: what a packet can
/// keep for [`Packet::ecn`] and [`Packet::set_ce`].
///
/// An integer, so that packets are copied whole: in a bool or an enum of theirs the compiler would
/// hide the variants of enums around them, and copy them in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marking(u8);

impl Marking {
    /// The bit above those of the ECN field.
    const HERE: u8 = 0b100;

    /// That of a packet with this field, which no queue of ours has marked yet.
    #[inline]
    pub const fn of(ecn: Ecn) -> Self {
        Self(ecn as u8)
    }

    /// The ECN field.
    #[inline]
    pub const fn ecn(self) -> Ecn {
        Ecn::from_bits(self.0)
    }

    /// Has the queue that it is in marked it?
    #[inline]
    pub const fn is_marked_here(self) -> bool {
        self.0 & Self::HERE != 0
    }

    /// The queue that it is in marks it.
    #[inline]
    pub const fn set_ce(&mut self) {
        self.0 = Ecn::Ce as u8 | Self::HERE;
    }

    /// It goes on to another queue, with the field that it has by now.
    #[inline]
    pub const fn move_on(&mut self) {
        self.0 &= !Self::HERE;
    }
}

/// Anything that can wait in a queue.
#[expect(clippy::len_without_is_empty, reason = "a packet has a length; an empty one is no packet")]
pub trait Packet {
    /// The length that the queue accounts for: on Linux the frame without its checksum.
    fn len(&self) -> Bytes;

    /// How many packets of the wire this is: one, or, of a piece of a super-packet that a kernel
    /// has yet to cut, several. Limits and backlogs in packets count them all, and all of them meet
    /// one fate: controllers judge the piece once, as Linux's judge a super-packet.
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
    /// A hash over what tells flows apart (commonly the 5-tuple), keyed by `salt`.
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
