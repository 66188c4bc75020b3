//! A packet in the simulator: a small value that is copied, never allocated.

use link::Framing;
use meter::Tag;
use qdisc::{Dscp, Ecn, Flow, Headers, Hosts, IpLens, Marking, Packet, TcpHeader};
use units::{Bytes, Time, mix};

use crate::payloads::Payload;
use crate::store::Store;

/// A packet on its way.
///
/// The fields lie in memory in this order: [`hop`](Self::hop), which each hop changes, is apart from those
/// that stay. A processor waits with a wide copy of what was just written in parts.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct SimPacket {
    /// The content, or its place.
    pub(crate) payload: Payload,
    /// The length in bytes on the wire of the present hop.
    pub(crate) len: u32,
    /// The number of the packet's flow.
    pub(crate) flow: u32,
    /// The number of the connection within the flow.
    pub(crate) channel: u16,
    /// IP's identification; 0 if there is no capture.
    pub(crate) id: u16,
    /// The length of the IP packet, in bytes.
    pub(crate) ip_len: u16,
    /// The traffic class, and whether the queue of the present hop has marked the packet.
    pub(crate) marking: Marking,
    /// The present hop, a position in the world's [`Hops`](crate::hops::Hops).
    pub(crate) hop: u32,
}

impl SimPacket {
    /// A packet of this flow that is not sent yet, without a content.
    #[inline]
    pub(crate) const fn of(flow: u32) -> Self {
        let payload = Payload::of_datagram(Time::ZERO);
        let marking = Marking::of(Ecn::NotEct);
        Self { len: 0, hop: 0, flow, payload, channel: 0, id: 0, ip_len: 0, marking }
    }

    /// Prepares the packet for the queue of its next hop.
    #[inline]
    pub(crate) fn enter(&mut self, framing: Framing) {
        self.len = framing.frame(self.ip_len()).0 as u32;
        self.marking.move_on();
    }

    /// The length of the IP packet.
    #[inline]
    pub(crate) const fn ip_len(&self) -> Bytes {
        Bytes(self.ip_len as u64)
    }

    /// The packet as the instruments count it.
    #[inline]
    pub(crate) const fn tag(&self) -> Tag {
        Tag {
            flow: self.flow,
            packets: 1,
            bytes: Bytes(self.len as u64),
            is_marked: self.marking.is_marked_here(),
        }
    }
}

impl Packet for SimPacket {
    type Store = Store;

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

impl Flow for SimPacket {
    /// A hash over flow, connection and salt, in place of a keyed hash of the 5-tuple.
    #[inline]
    fn flow_hash(&self, salt: u64) -> u32 {
        let connection = u64::from(self.flow) << 16 | u64::from(self.channel);
        (mix(salt ^ connection) >> 32) as u32
    }
}

impl Headers for SimPacket {
    #[inline]
    fn dscp(&self) -> Dscp {
        self.marking.dscp()
    }

    #[inline]
    fn set_dscp(&mut self, dscp: Dscp) {
        self.marking.set_dscp(dscp);
    }

    fn hosts(&self, store: &Store) -> Hosts {
        store.hosts(self.hop)
    }

    fn untranslated_hosts(&self, store: &Store) -> Hosts {
        store.untranslated_hosts(self.hop)
    }

    fn mark(&self, store: &Store) -> u32 {
        store.mark(self.hop)
    }

    fn ip_lens(&self, _store: &Store) -> IpLens {
        IpLens::of_one(self.ip_len())
    }

    fn tcp(&self, store: &Store) -> Option<TcpHeader> {
        store.tcp(self.payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets are copied from queue to wire to queue, so that their size matters for speed. With
    /// the time that a queue or a wire stores beside it, a packet takes a cache line.
    #[test]
    fn a_packet_is_small() {
        assert!(size_of::<SimPacket>() <= 56, "{}", size_of::<SimPacket>());
    }

    /// An `Option` that marks `None` within a packet reads one byte of it, and the rest is copied in odd parts.
    #[test]
    fn no_enclosing_option_uses_the_bytes_of_a_packet() {
        assert!(size_of::<Option<SimPacket>>() > size_of::<SimPacket>());
    }
}
