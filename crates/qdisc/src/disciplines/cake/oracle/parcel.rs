//! A packet for the comparison with the literal queue.

use alloc::vec;

use units::Bytes;

use super::ack_filter::Queued;
use crate::{Dscp, Ecn, Flow, Headers, Hosts, Packet, TcpHeader};

/// A packet of one of few flows, whose number decides about its hosts and its queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parcel {
    pub(super) id: u32,
    pub(super) flow: u8,
    pub(super) len: u32,
    pub(super) dscp: Dscp,
    pub(super) ecn: Ecn,
    /// The number that the packet acknowledges; `None` if it is not TCP.
    pub(super) ack: Option<u32>,
}

impl Parcel {
    pub(super) fn source(&self) -> u64 {
        u64::from(self.flow % 8)
    }

    pub(super) fn destination(&self) -> u64 {
        100 + u64::from(self.flow % 5)
    }

    /// The packet for the literal filter; `hash` is that of its flow.
    pub(super) fn queued(&self, hash: u32) -> Queued {
        let tcp = self.ack.map_or_else(vec::Vec::new, |ack| {
            let mut bytes = vec![0; 20];
            bytes[8..12].copy_from_slice(&ack.to_be_bytes());
            bytes[12..14].copy_from_slice(&0x5010_u16.to_be_bytes());
            bytes
        });
        Queued { flow: hash, tcp, payload: 0 }
    }
}

impl Packet for Parcel {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(self.len.into())
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl Flow for Parcel {
    /// A hash with few values in its low bits, so that the flows share few sets of queues.
    fn flow_hash(&self, salt: u64) -> u32 {
        units::mix(u64::from(self.flow) ^ salt) as u32 & !0x3e0
    }
}

impl Headers for Parcel {
    fn dscp(&self) -> Dscp {
        self.dscp
    }

    fn set_dscp(&mut self, dscp: Dscp) {
        self.dscp = dscp;
    }

    fn hosts(&self, _store: &()) -> Hosts {
        Hosts { source: self.source(), destination: self.destination() }
    }

    fn tcp(&self, _store: &()) -> Option<TcpHeader> {
        TcpHeader::parse(&self.queued(0).tcp, Bytes::ZERO)
    }
}
