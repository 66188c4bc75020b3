//! A packet in the simulator: a small value that is copied, never allocated.

use qdisc::{Ecn, Flow, Packet};
use units::{Bytes, Time, mix};

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimPacket {
    /// When it was offered to the queue of its present hop.
    pub(crate) offered: Time,
    /// IP length plus the framing of its present hop.
    pub(crate) len: u32,
    /// Its present hop, a position in the world's [`Hops`](crate::hops::Hops).
    pub(crate) hop: u32,
    /// The flow that it belongs to.
    pub(crate) flow: u32,
    /// Where its payload lies, a place in [`Payloads`](crate::payloads::Payloads).
    pub(crate) payload: u32,
    /// The connection within the flow.
    pub(crate) channel: u16,
    /// IP's identification, if anyone looks at it.
    pub(crate) id: u16,
    /// The ECN field in the low two bits, then whether the queue of its present hop has marked it.
    /// An integer, so that packets are copied whole: in a bool or an enum of theirs the compiler
    /// would hide the variants of enums around them, and copy them in pieces.
    pub(crate) marks: u8,
}

/// The bit of [`SimPacket::marks`] that says that the present hop has marked it.
const MARKED_HERE: u8 = 0b100;

impl SimPacket {
    /// It is offered to the queue of its next hop, whose wire adds `overhead` bytes.
    #[inline]
    pub(crate) fn enter(&mut self, overhead: u32, now: Time) {
        self.len += overhead;
        self.offered = now;
        self.marks &= !MARKED_HERE;
    }

    /// Has the queue of its present hop marked it?
    #[inline]
    pub(crate) fn is_marked_here(&self) -> bool {
        self.marks & MARKED_HERE != 0
    }
}

impl Packet for SimPacket {
    #[inline]
    fn len(&self) -> Bytes {
        Bytes(u64::from(self.len))
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.marks)
    }

    #[inline]
    fn set_ce(&mut self) {
        self.marks = Ecn::Ce as u8 | MARKED_HERE;
    }
}

impl Flow for SimPacket {
    /// Stands for a keyed hash of the 5-tuple: over flow, connection and salt.
    #[inline]
    fn flow_hash(&self, salt: u64) -> u32 {
        let connection = u64::from(self.flow) << 16 | u64::from(self.channel);
        (mix(salt ^ connection) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets are copied from queue to wire to queue: the size is part of the speed.
    #[test]
    fn a_packet_is_small() {
        assert!(size_of::<SimPacket>() <= 32, "{}", size_of::<SimPacket>());
    }
}
