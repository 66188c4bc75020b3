//! A packet on its way through the queue: a small value that is copied, never allocated.

use qdisc::{Ecn, Flow, Packet};
use units::{Bytes, Time, mix};

use crate::Arrival;

/// A packet on its way through the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplayPacket {
    /// Its number among those that arrived, from 0.
    pub(crate) index: u64,
    pub(crate) arrived: Time,
    pub(crate) len: u32,
    flow: u32,
    /// The ECN field in the low two bits, then whether this queue has marked it.
    marks: u8,
}

const MARKED_HERE: u8 = 0b100;

impl ReplayPacket {
    pub(crate) const fn new(index: u64, arrival: &Arrival) -> Self {
        let Arrival { time, bytes, flow, ecn, .. } = *arrival;
        Self { index, arrived: time, len: bytes, flow, marks: ecn as u8 }
    }

    /// Has this queue marked it?
    pub(crate) const fn is_marked_here(&self) -> bool {
        self.marks & MARKED_HERE != 0
    }
}

impl Packet for ReplayPacket {
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

impl Flow for ReplayPacket {
    /// Over the flow's own hash and the salt.
    #[inline]
    fn flow_hash(&self, salt: u64) -> u32 {
        (mix(salt ^ u64::from(self.flow)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets are copied into the queue and out of it: the size is part of the speed.
    #[test]
    fn a_packet_is_small() {
        assert!(size_of::<ReplayPacket>() <= 32, "{}", size_of::<ReplayPacket>());
    }

    #[test]
    fn only_what_this_queue_marks_is_marked_here() {
        let arrival = Arrival { time: Time::ZERO, bytes: 1500, flow: 7, ecn: Ecn::Ce, dscp: 0 };
        let mut packet = ReplayPacket::new(0, &arrival);
        assert_eq!((packet.ecn(), packet.is_marked_here()), (Ecn::Ce, false));
        packet.set_ce();
        assert_eq!((packet.ecn(), packet.is_marked_here()), (Ecn::Ce, true));
    }
}
