//! Isolation: which packets share a queue, and among whom the link is shared.
//!
//! Specification: tc-cake(8), "Flow isolation parameters"; Linux, net/sched/sch_cake.c, `cake_hash`
//! and enum `CAKE_FLOW_*`.

use crate::spec::name_of;
use crate::{Flow, Hosts};

/// The isolation of flows from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum Isolation {
    /// One queue for all.
    FlowBlind = 0,
    /// A queue for each source host.
    SrcHost = 1,
    /// A queue for each destination host.
    DstHost = 2,
    /// A queue for each pair of hosts.
    Hosts = 3,
    /// A queue for each flow.
    Flows = 4,
    /// A queue for each flow; the link is shared by source hosts first, then by the flows of each.
    DualSrcHost = 5,
    /// A queue for each flow; the link is shared by destination hosts first.
    DualDstHost = 6,
    /// A queue for each flow; a flow shares with the flows of its source host or those of its
    /// destination host, whichever are more.
    #[default]
    Triple = 7,
}

impl Isolation {
    /// The words of tc.
    pub(super) const NAMES: [(&'static str, Self); 8] = [
        ("flowblind", Self::FlowBlind),
        ("srchost", Self::SrcHost),
        ("dsthost", Self::DstHost),
        ("hosts", Self::Hosts),
        ("flows", Self::Flows),
        ("dual-srchost", Self::DualSrcHost),
        ("dual-dsthost", Self::DualDstHost),
        ("triple-isolate", Self::Triple),
    ];

    /// The word of tc.
    pub fn name(self) -> &'static str {
        name_of(&Self::NAMES, &self)
    }

    const SOURCE: u8 = 1;
    const DESTINATION: u8 = 2;
    const FLOWS: u8 = 4;

    const fn has(self, bits: u8) -> bool {
        self as u8 & bits == bits
    }

    /// True if the flows of a source host share what the host gets.
    pub(super) const fn shares_by_source(self) -> bool {
        self.has(Self::SOURCE | Self::FLOWS)
    }

    /// True if the flows of a destination host share what the host gets.
    pub(super) const fn shares_by_destination(self) -> bool {
        self.has(Self::DESTINATION | Self::FLOWS)
    }

    /// The hashes of a packet between the hosts that `hosts` names, which is not asked in vain.
    pub(super) fn hash<P: Flow>(
        self,
        packet: &P,
        salt: u64,
        hosts: impl FnOnce(&P) -> Hosts,
    ) -> Hashes {
        if self == Self::FlowBlind {
            return Hashes::default();
        }
        if self == Self::Flows {
            return Hashes { flow: packet.flow_hash(salt), ..Hashes::default() };
        }
        let hosts = hosts(packet);
        let source = host_hash(hosts.source, salt);
        let destination = host_hash(hosts.destination, salt.rotate_left(32));
        let flow = if self.has(Self::FLOWS) {
            packet.flow_hash(salt)
        } else {
            let counted = |bit, hash| if self.has(bit) { hash } else { 0 };
            counted(Self::SOURCE, source) ^ counted(Self::DESTINATION, destination)
        };
        Hashes { flow, source, destination }
    }
}

/// The hashes by which a packet finds its queue and its hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hashes {
    /// The hash of what has a queue of its own.
    pub(super) flow: u32,
    /// The hash of the source host.
    pub(super) source: u32,
    /// The hash of the destination host.
    pub(super) destination: u32,
}

/// A hash of a host, which an outsider who does not know the salt cannot foresee.
fn host_hash(host: u64, salt: u64) -> u32 {
    (units::mix(host ^ salt) >> 32) as u32
}
