//! The amount of packets that wait, and its limits.

use core::ops::{AddAssign, Sub, SubAssign};

use units::Bytes;

use crate::Packet;

/// The number and length of the packets that wait in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Backlog {
    /// Number of packets.
    pub packets: u64,
    /// Sum of the lengths of the packets.
    pub bytes: Bytes,
}

impl Backlog {
    /// The backlog of this packet alone.
    #[inline]
    pub fn of<P: Packet>(packet: &P) -> Self {
        Self { packets: packet.packets(), bytes: packet.len() }
    }
}

impl AddAssign for Backlog {
    /// Adds packets and bytes.
    fn add_assign(&mut self, other: Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
    }
}

impl SubAssign for Backlog {
    /// Subtracts packets and bytes.
    fn sub_assign(&mut self, other: Self) {
        self.packets -= other.packets;
        self.bytes -= other.bytes;
    }
}

impl Sub for Backlog {
    type Output = Self;

    /// Subtracts packets and bytes.
    fn sub(mut self, other: Self) -> Self {
        self -= other;
        self
    }
}

/// The limits of a queue. An arriving packet must fit under both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The most packets that may wait.
    pub packets: u64,
    /// The most bytes that may wait.
    pub bytes: Bytes,
}

impl Limit {
    /// A limit that no packet is within.
    pub const NONE: Self = Self { packets: 0, bytes: Bytes::ZERO };

    /// A limit in packets, whatever their length.
    pub const fn packets(packets: u64) -> Self {
        Self { packets, bytes: Bytes::MAX }
    }

    /// A limit in bytes, whatever the number of packets.
    pub const fn bytes(bytes: Bytes) -> Self {
        Self { packets: u64::MAX, bytes }
    }

    /// True if `more` still fits behind `backlog`.
    #[inline]
    pub fn admits(&self, mut backlog: Backlog, more: Backlog) -> bool {
        backlog += more;
        backlog.packets <= self.packets && backlog.bytes <= self.bytes
    }
}
