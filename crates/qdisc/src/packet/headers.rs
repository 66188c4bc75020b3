//! The properties of a packet's headers that a discipline may ask for, beyond length, flow and ECN
//! field.

mod tcp;

use units::Bytes;

use super::{Dscp, Flow};

pub use tcp::{SackBlocks, TcpHeader, Timestamps};

/// A packet whose headers can be read, for disciplines that sort by code point, share among hosts,
/// charge what a wire adds to each packet, or filter acknowledgements.
///
/// Nothing is read before it is asked for, so a driver pays nothing for a discipline that does not
/// ask. What the packet does not carry is read from its driver's [`Store`](super::Packet::Store),
/// which a discipline gets from [`Signals::store`](crate::Signals::store).
///
/// A discipline asks about a packet during the call that enqueues it. If the answer is needed
/// later, the discipline keeps it: a driver need not keep the headers of packets that wait.
///
/// The defaults are those of a packet with unknown headers: all packets are of one host, have the
/// default code point, and none is TCP.
pub trait Headers: Flow {
    /// The differentiated services code point.
    fn dscp(&self) -> Dscp {
        Dscp::default()
    }

    /// Changes the code point with which the packet leaves. Does nothing to a packet with unknown
    /// headers.
    fn set_dscp(&mut self, _dscp: Dscp) {}

    /// The hosts between which the packet travels, by the addresses that it has on the link.
    fn hosts(&self, _store: &Self::Store) -> Hosts {
        Hosts::default()
    }

    /// The hosts between which the packet travels, before the machine with the queue translated
    /// their addresses. The default is that it translated none.
    fn untranslated_hosts(&self, store: &Self::Store) -> Hosts {
        self.hosts(store)
    }

    /// The lengths of the IP packets that this packet stands for, without what its link adds.
    fn ip_lens(&self, _store: &Self::Store) -> IpLens {
        IpLens::of_one(self.len())
    }

    /// The firewall mark that the driver gave the packet; 0 for none.
    fn mark(&self, _store: &Self::Store) -> u32 {
        0
    }

    /// The TCP header; `None` if the packet is not TCP, is a fragment, or if the header is damaged
    /// or not known whole. The header of a super-packet is that of its first packet.
    fn tcp(&self, _store: &Self::Store) -> Option<TcpHeader> {
        None
    }
}

/// The hosts between which a packet travels. Each host is a number that is the same for all packets
/// of the host. The numbers of two hosts differ, but for a chance of about 2^-64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hosts {
    /// The host that sends the packet.
    pub source: u64,
    /// The host to which the packet is sent.
    pub destination: u64,
}

/// The lengths of the IP packets that a packet stands for: one, or those of a super-packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpLens {
    /// The length of each packet but the last.
    pub each: Bytes,
    /// The length of the last packet.
    pub last: Bytes,
}

impl IpLens {
    /// The lengths of a single packet of `len` bytes.
    pub const fn of_one(len: Bytes) -> Self {
        Self { each: len, last: len }
    }
}
