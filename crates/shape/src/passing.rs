//! Packets that must not wait, and never be dropped by a queue: without them the interface loses its
//! address or its neighbours.

use follow::AnswersTo;
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

/// The longest answer to a question about the line's delay, from the IP header on. Whatever else somebody may
/// send to that place waits like all others.
const LONGEST_ANSWER: u64 = 128;

/// True if the packet answers a question about the line's delay.
pub(crate) fn is_answer(answers: AnswersTo, view: &PacketView, packet: &PacketSlices<'_>) -> bool {
    if view.ip_len > LONGEST_ANSWER {
        return false;
    }
    match answers {
        AnswersTo::Port(port) => {
            view.protocol == protocol::UDP && view.ports.is_some_and(|(_, to)| to == port)
        }
        AnswersTo::Echo(identifier) => {
            /// Types of answers (RFC 792, RFC 4443 section 4.2).
            const ANSWERS: [u8; 2] = [0, 129];
            let [high, low] = identifier.to_be_bytes();
            let message = packet.headers.get(view.transport_start as usize..);
            matches!(view.protocol, protocol::ICMP | protocol::ICMPV6)
                && message.is_some_and(|it| {
                    it.len() >= 6 && ANSWERS.contains(&it[0]) && it[4..6] == [high, low]
                })
        }
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
    fn answers_about_the_line_are_known() {
        let is_answer = |answers, ip: &[u8]| {
            let view = dissect(LinkType::RAW, ip, 0).unwrap();
            is_answer(answers, &view, &PacketSlices::whole(ip, Offload::default()))
        };
        let mut echo = icmp6(129);
        echo[44..46].copy_from_slice(&[0x12, 0x34]);
        assert!(is_answer(AnswersTo::Echo(0x1234), &echo));
        assert!(!is_answer(AnswersTo::Echo(0x1235), &echo));
        assert!(!is_answer(AnswersTo::Echo(0), &icmp6(128)), "a question of others");
        assert!(is_answer(AnswersTo::Port(5000), &udp(8517, 5000)));
        assert!(!is_answer(AnswersTo::Port(5000), &udp(5000, 8517)));
        assert!(!is_answer(AnswersTo::Port(0), &icmp6(129)));
        let mut long = udp(8517, 5000);
        long.resize(600, 0);
        long[2..4].copy_from_slice(&600_u16.to_be_bytes());
        long[24..26].copy_from_slice(&580_u16.to_be_bytes());
        assert!(!is_answer(AnswersTo::Port(5000), &long));
    }

    #[test]
    fn all_else_waits() {
        assert!(!passes(&udp(68, 53)) && !passes(&udp(5000, 67)));
        assert!(!passes(&icmp6(128)) && !passes(&icmp6(129)));
    }
}
