//! Whose a packet is.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use live::Cut;
use wire::PacketView;
use wire::protocol::{ICMP, ICMPV6, TCP, UDP};

use crate::plan::flow_of_port;

/// Tells flows apart, each by its way.
pub(super) enum Classifier {
    /// By the ports of so many planned flows. What belongs to none has the number behind theirs.
    Planned(usize),
    /// By what their packets say.
    Named(Names),
    /// By nothing but their protocol: each has the number that IP gives it.
    Nameless,
}

/// Flows that have been named. Those of which there were too many share the number 0.
#[derive(Default)]
pub(super) struct Names {
    numbers: HashMap<Conversation, u32>,
}

/// Protocol and both ends, the lesser first: both ways are one flow.
type Conversation = (u8, SocketAddr, SocketAddr);

/// More names than these nobody reads.
const MOST_NAMES: usize = 10_000;

impl Classifier {
    /// The number of the packet's flow; `None` if it is noise, which is not carried. A flow without
    /// a number is given that which `add` answers for its name.
    pub(super) fn tag(
        &mut self,
        view: &PacketView,
        packet: &Cut<'_>,
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

impl Names {
    fn number(
        &mut self,
        view: &PacketView,
        packet: &Cut<'_>,
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

/// `tcp 10.0.0.1:33000 10.0.0.2:80`, as its first packet went.
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

/// Its flow, by the port at one of its ends; all others have another, or none. Errors and pieces
/// of packets belong to flows, but do not say so where we look.
fn planned(view: &PacketView, packet: &Cut<'_>, flows: usize) -> Option<u32> {
    let owner = |port| flow_of_port(port, flows);
    let flow = match (view.ports, identifier(view, packet)) {
        (Some((source, destination)), _) => owner(destination).or_else(|| owner(source)),
        (None, Some(id)) => owner(id),
        (None, None) if view.is_fragment || is_error(view, packet) => Some(flows),
        (None, None) => None,
    };
    flow.map(|flow| flow as u32)
}

/// The identifier of an echo, be it request or reply (RFC 792, RFC 4443 section 4).
fn identifier(view: &PacketView, packet: &Cut<'_>) -> Option<u16> {
    let is_echo = match (view.protocol, icmp(view, packet)?) {
        (ICMP, header) => matches!(header[0], 0 | 8),
        (ICMPV6, header) => matches!(header[0], 128 | 129),
        _ => false,
    };
    let header = icmp(view, packet).filter(|_| is_echo)?;
    Some(u16::from_be_bytes([header[4], header[5]]))
}

/// Destination unreachable, source quench, time exceeded, parameter problem; of ICMPv6 all types
/// below 128 (RFC 4443 section 2.1).
fn is_error(view: &PacketView, packet: &Cut<'_>) -> bool {
    icmp(view, packet).is_some_and(|header| match view.protocol {
        ICMP => matches!(header[0], 3 | 4 | 11 | 12),
        _ => header[0] < 128,
    })
}

/// The ICMP header, if there is one and it is whole.
fn icmp<'a>(view: &PacketView, packet: &Cut<'a>) -> Option<&'a [u8; 8]> {
    // A later piece has none, and a first one does not say that it is the first.
    if !matches!(view.protocol, ICMP | ICMPV6) || view.is_fragment {
        return None;
    }
    let start = (view.header_len as usize).checked_sub(8)?;
    packet.headers.get(start..)?.first_chunk()
}

/// Neither a group nor everybody.
fn is_for_one(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !v4.is_multicast() && !v4.is_broadcast() && !v4.is_unspecified(),
        IpAddr::V6(v6) => !v6.is_multicast() && !v6.is_unspecified(),
    }
}

#[cfg(test)]
mod tests;
