//! Finds the flow of a packet.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use live::PacketSlices;
use wire::PacketView;
use wire::protocol::{ICMP, ICMPV6, TCP, UDP};

use crate::plan::flow_of_port;

/// The rules by which packets belong to flows.
pub(super) enum Classifier {
    /// The ports of this number of planned flows decide. A packet of no flow has the number after
    /// theirs.
    Planned(usize),
    /// Protocol and addresses decide.
    Named(FlowNames),
    /// The protocol alone decides: the number of a flow is its IP protocol number.
    Nameless,
}

/// The names of the flows that have been seen. Flows beyond the bound share the number 0.
#[derive(Default)]
pub(super) struct FlowNames {
    numbers: HashMap<Conversation, u32>,
}

/// The protocol and both ends, the lesser first: both directions are one flow.
type Conversation = (u8, SocketAddr, SocketAddr);

/// The most names: a longer list is of no use to a reader.
const MOST_NAMES: usize = 10_000;

impl Classifier {
    /// The number of the packet's flow; `None` for packets to many receivers and other noise, which
    /// the lab does not carry. A new flow gets the number that `add` returns for its name.
    pub(super) fn tag(
        &mut self,
        view: &PacketView,
        packet: &PacketSlices<'_>,
        add: impl FnOnce(String) -> u32,
    ) -> Option<u32> {
        if !is_for_one(view.source) || !is_for_one(view.destination) {
            return None;
        }
        match self {
            Self::Planned(flows) => planned(view, packet, *flows),
            Self::Named(names) => Some(names.number(view, packet, add)),
            Self::Nameless => Some(view.protocol.into()),
        }
    }
}

impl FlowNames {
    fn number(
        &mut self,
        view: &PacketView,
        packet: &PacketSlices<'_>,
        add: impl FnOnce(String) -> u32,
    ) -> u32 {
        let id = identifier(view, packet).map(|id| (id, id));
        let (source, destination) = view.ports.or(id).unwrap_or_default();
        let source = SocketAddr::new(view.source, source);
        let destination = SocketAddr::new(view.destination, destination);
        let key = (view.protocol, source.min(destination), source.max(destination));
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        if self.numbers.len() >= MOST_NAMES {
            return 0;
        }
        let number = add(name(view, source, destination));
        self.numbers.insert(key, number);
        number
    }
}

/// The name of a flow after its first packet: `tcp 10.0.0.1:33000 10.0.0.2:80`.
fn name(view: &PacketView, source: SocketAddr, destination: SocketAddr) -> String {
    let protocol = match view.protocol {
        TCP => "tcp".into(),
        UDP => "udp".into(),
        ICMP | ICMPV6 => "icmp".into(),
        number => format!("protocol {number}"),
    };
    match view.ports {
        Some(_) => format!("{protocol} {source} {destination}"),
        None => format!("{protocol} {} {}", view.source, view.destination),
    }
}

/// The flow with the port of one of the packet's ends. The other end has a port of another range,
/// or none. Errors and fragments belong to flows too, but their flow is not looked for.
fn planned(view: &PacketView, packet: &PacketSlices<'_>, flows: usize) -> Option<u32> {
    let owner = |port| flow_of_port(port, flows);
    let flow = match (view.ports, identifier(view, packet)) {
        (Some((source, destination)), _) => owner(destination).or_else(|| owner(source)),
        (None, Some(id)) => owner(id),
        (None, None) if view.is_fragment || is_error(view, packet) => Some(flows),
        (None, None) => None,
    };
    flow.map(|flow| flow as u32)
}

/// The identifier of an echo request or reply (RFC 792, RFC 4443 section 4); `None` for other
/// packets.
fn identifier(view: &PacketView, packet: &PacketSlices<'_>) -> Option<u16> {
    let is_echo = match (view.protocol, icmp(view, packet)?) {
        (ICMP, header) => matches!(header[0], 0 | 8),
        (ICMPV6, header) => matches!(header[0], 128 | 129),
        _ => false,
    };
    let header = icmp(view, packet).filter(|_| is_echo)?;
    Some(u16::from_be_bytes([header[4], header[5]]))
}

/// True for an ICMP error: destination unreachable, source quench, time exceeded, parameter
/// problem; of ICMPv6 all types below 128 (RFC 4443 section 2.1).
fn is_error(view: &PacketView, packet: &PacketSlices<'_>) -> bool {
    icmp(view, packet).is_some_and(|header| match view.protocol {
        ICMP => matches!(header[0], 3 | 4 | 11 | 12),
        _ => header[0] < 128,
    })
}

/// The ICMP header; `None` if there is none, or if it is cut short.
fn icmp<'a>(view: &PacketView, packet: &PacketSlices<'a>) -> Option<&'a [u8; 8]> {
    // Later fragments have no header, and a first fragment cannot be told from them here.
    if !matches!(view.protocol, ICMP | ICMPV6) || view.is_fragment {
        return None;
    }
    let start = (view.header_len as usize).checked_sub(8)?;
    packet.headers.get(start..)?.first_chunk()
}

/// True if the address is neither multicast nor broadcast nor unspecified.
fn is_for_one(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !v4.is_multicast() && !v4.is_broadcast() && !v4.is_unspecified(),
        IpAddr::V6(v6) => !v6.is_multicast() && !v6.is_unspecified(),
    }
}

#[cfg(test)]
mod tests;
