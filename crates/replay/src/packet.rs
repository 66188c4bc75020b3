//! A packet on its way through the queue: a small value that is copied, never allocated.

use qdisc::{Dscp, Ecn, Flow, Headers, Hosts, IpLens, Marking, Packet, TcpHeader};
use units::{Bytes, Time, mix};

use crate::Arrival;
use crate::headers::LatestHeaders;

/// A packet on its way through the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplayPacket {
    /// The index of the packet in the order in which packets are offered, from 0.
    pub(crate) index: u64,
    /// The time at which the packet is offered to the queue.
    pub(crate) offered: Time,
    pub(crate) len: u32,
    flow: u32,
    /// The traffic class, and whether this queue has marked the packet.
    pub(crate) marking: Marking,
}

impl ReplayPacket {
    pub(crate) const fn new(index: u64, arrival: &Arrival) -> Self {
        let Arrival { time, bytes, flow, ecn, dscp } = *arrival;
        let marking = Marking::of_class(dscp << 2 | ecn as u8);
        Self { index, offered: time, len: bytes, flow, marking }
    }
}

impl Packet for ReplayPacket {
    type Store = LatestHeaders;

    #[inline]
    fn len(&self) -> Bytes {
        Bytes(u64::from(self.len))
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        self.marking.ecn()
    }

    #[inline]
    fn set_ce(&mut self) {
        self.marking.set_ce();
    }
}

impl Flow for ReplayPacket {
    /// A hash over the flow's own hash and the salt.
    #[inline]
    fn flow_hash(&self, salt: u64) -> u32 {
        (mix(salt ^ u64::from(self.flow)) >> 32) as u32
    }
}

impl Headers for ReplayPacket {
    #[inline]
    fn dscp(&self) -> Dscp {
        self.marking.dscp()
    }

    #[inline]
    fn set_dscp(&mut self, dscp: Dscp) {
        self.marking.set_dscp(dscp);
    }

    fn hosts(&self, headers: &LatestHeaders) -> Hosts {
        headers.hosts()
    }

    fn ip_lens(&self, headers: &LatestHeaders) -> IpLens {
        IpLens::of_one(headers.ip_len(self.len))
    }

    fn tcp(&self, headers: &LatestHeaders) -> Option<TcpHeader> {
        headers.tcp(headers.ip_len(self.len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets are copied into the queue and out of it, so their size affects the speed.
    #[test]
    fn a_packet_is_small() {
        assert!(size_of::<ReplayPacket>() <= 32, "{}", size_of::<ReplayPacket>());
    }
}
