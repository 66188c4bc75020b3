//! The properties of a packet that a queue may read. The trait bounds of an algorithm show which of
//! them it needs.

mod dscp;
mod headers;

use units::Bytes;

pub use dscp::Dscp;
pub use headers::{Headers, Hosts, IpLens, SackBlocks, TcpHeader, Timestamps};

/// The ECN field of the IP header (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
    /// The ECN field in the two low bits of `bits`.
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

/// The traffic class of a packet, which is its ECN field and its DSCP, and whether the queue that
/// holds the packet has marked it: storage for [`Packet::ecn`], [`Packet::set_ce`],
/// [`Headers::dscp`] and [`Headers::set_dscp`].
///
/// The type is an integer so that packets are copied whole. In the spare values of a bool or an
/// enum the compiler would store the variants of enclosing enums, and then copy them in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marking(u16);

impl Marking {
    /// The bit above the traffic class, set when a queue marks the packet.
    const HERE: u16 = 0x100;

    /// The marking of a best-effort packet with this ECN field that no queue has marked yet.
    #[inline]
    pub const fn of(ecn: Ecn) -> Self {
        Self::of_class(ecn as u8)
    }

    /// The marking of a packet with this traffic class that no queue has marked yet.
    #[inline]
    pub const fn of_class(traffic_class: u8) -> Self {
        Self(traffic_class as u16)
    }

    /// The ECN field.
    #[inline]
    pub const fn ecn(self) -> Ecn {
        Ecn::from_bits(self.traffic_class())
    }

    /// The differentiated services code point.
    #[inline]
    pub const fn dscp(self) -> Dscp {
        Dscp::from_bits(self.traffic_class() >> 2)
    }

    /// The byte of the IP header that holds DSCP and ECN field.
    #[inline]
    pub const fn traffic_class(self) -> u8 {
        self.0 as u8
    }

    /// True if the queue that holds the packet has marked it.
    #[inline]
    pub const fn is_marked_here(self) -> bool {
        self.0 & Self::HERE != 0
    }

    /// Marks the packet on behalf of the queue that holds it.
    #[inline]
    pub const fn set_ce(&mut self) {
        self.0 |= Ecn::Ce as u16 | Self::HERE;
    }

    /// Changes the code point, and nothing else.
    #[inline]
    pub const fn set_dscp(&mut self, dscp: Dscp) {
        self.0 = self.0 & (Self::HERE | Ecn::Ce as u16) | (dscp.bits() as u16) << 2;
    }

    /// Prepares the packet for the next queue: the traffic class stays, but
    /// [`is_marked_here`](Self::is_marked_here) becomes false.
    #[inline]
    pub const fn move_on(&mut self) {
        self.0 &= !Self::HERE;
    }
}

/// A packet that can wait in a queue.
#[expect(clippy::len_without_is_empty, reason = "a packet has a length; an empty one is no packet")]
pub trait Packet {
    /// The place where the driver keeps what [`Headers`] reads and the packet does not carry, so
    /// that a packet that is moved from queue to queue stays small; `()` for a packet that carries
    /// all.
    type Store: ?Sized;

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

    /// Sets the ECN field to congestion experienced. Called only when [`ecn`](Self::ecn) is
    /// capable.
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

    /// RFC 2474 section 3 and RFC 3168 section 5 divide one byte.
    #[test]
    fn code_point_and_ecn_field_change_apart() {
        for class in 0..=u8::MAX {
            let mut marking = Marking::of_class(class);
            let dscp = Dscp::from_bits(class >> 2);
            assert_eq!((marking.dscp(), marking.ecn()), (dscp, Ecn::from_bits(class)));
            marking.set_ce();
            assert_eq!((marking.dscp(), marking.traffic_class()), (dscp, class | 0b11));
            marking.set_dscp(Dscp::from_bits(0b10_1110));
            assert_eq!((marking.traffic_class(), marking.is_marked_here()), (0b1011_1011, true));
            let mut washed = Marking::of_class(class);
            washed.set_dscp(Dscp::default());
            assert_eq!((washed.traffic_class(), washed.is_marked_here()), (class & 0b11, false));
        }
    }
}
