//! Packets that must not wait, and never be dropped by a queue: without them the interface loses its
//! address or its neighbours.

use live::PacketSlices;
use wire::{PacketView, protocol};

/// Ports of DHCP (RFC 2131 section 4.1) and DHCPv6 (RFC 9915 section 7.2).
const DHCP: [u16; 4] = [67, 68, 546, 547];
/// Types of ICMPv6 messages for Neighbor Discovery (RFC 4861 section 4).
const NEIGHBOUR_DISCOVERY: std::ops::RangeInclusive<u8> = 133..=137;

/// True if the packet goes past the queue.
pub(crate) fn must_pass(view: &PacketView, packet: &PacketSlices<'_>) -> bool {
    match view.protocol {
        protocol::UDP => view.ports.is_some_and(|(source, destination)| {
            DHCP.contains(&source) && DHCP.contains(&destination)
        }),
        protocol::ICMPV6 => packet
            .headers
            .get(view.transport_start as usize)
            .is_some_and(|kind| NEIGHBOUR_DISCOVERY.contains(kind)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use live::Offload;
    use wire::{LinkType, dissect};

    use super::*;

    fn passes(ip: &[u8]) -> bool {
        let view = dissect(LinkType::RAW, ip, 0).unwrap();
        must_pass(&view, &PacketSlices::whole(ip, Offload::default()))
    }

    fn udp(source: u16, destination: u16) -> Vec<u8> {
        let mut ip = vec![0; 28];
        ip[..12].copy_from_slice(&[0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0]);
        ip[20..22].copy_from_slice(&source.to_be_bytes());
        ip[22..24].copy_from_slice(&destination.to_be_bytes());
        ip[24..26].copy_from_slice(&8_u16.to_be_bytes());
        ip
    }

    fn icmp6(kind: u8) -> Vec<u8> {
        let mut ip = vec![0; 48];
        ip[..8].copy_from_slice(&[0x60, 0, 0, 0, 0, 8, 58, 255]);
        ip[40] = kind;
        ip
    }

    #[test]
    fn what_keeps_an_interface_alive_passes() {
        assert!(passes(&udp(68, 67)) && passes(&udp(547, 546)));
        assert!((133..=137).all(|kind| passes(&icmp6(kind))));
    }

    #[test]
    fn all_else_waits() {
        assert!(!passes(&udp(68, 53)) && !passes(&udp(5000, 67)));
        assert!(!passes(&icmp6(128)) && !passes(&icmp6(129)));
    }
}
