use std::sync::mpsc;

use rustix::event::{EventfdFlags, eventfd};
use wire::{LinkType, dissect};

use super::*;

const PEER: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 2)),
];

/// An IPv4 header and the transport header after it.
fn v4(protocol: u8, to: [u8; 4], port: u16, flags: u8) -> Vec<u8> {
    let mut packet = vec![0; 40];
    packet[0] = 0x45;
    packet[3] = 40;
    packet[9] = protocol;
    packet[12..16].copy_from_slice(&[10, 0, 0, 1]);
    packet[16..20].copy_from_slice(&to);
    packet[22..24].copy_from_slice(&port.to_be_bytes());
    packet[32] = 0x50;
    packet[33] = flags;
    packet
}

/// An IPv6 header and a TCP header that asks for a connection.
fn v6_syn(to: Ipv6Addr) -> Vec<u8> {
    let mut packet = vec![0; 60];
    (packet[0], packet[5], packet[6]) = (0x60, 20, TCP);
    packet[8..24].copy_from_slice(&Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 1).octets());
    packet[24..40].copy_from_slice(&to.octets());
    (packet[43], packet[52], packet[53]) = (80, 0x50, 0x02);
    packet
}

fn needed(ip: &[u8]) -> Option<(bool, String)> {
    let view = dissect(LinkType::RAW, ip, ip.len() as u64).unwrap();
    destination(&view, ip, &PEER)
        .map(|destination| (destination.is_udp, destination.address.to_string()))
}

#[test]
fn a_connection_needs_a_socket_for_its_port_and_a_datagram_one_for_its_address() {
    let tcp = Some((false, "0.0.0.0:443".to_owned()));
    assert_eq!(needed(&v4(TCP, [1, 1, 1, 1], 443, 0x02)), tcp);
    // With ECN: RFC 3168 section 6.1.1.
    assert_eq!(needed(&v4(TCP, [1, 1, 1, 1], 443, 0xc2)), tcp);
    assert_eq!(needed(&v4(TCP, [1, 1, 1, 1], 443, 0x10)), None);
    assert_eq!(needed(&v4(TCP, [1, 1, 1, 1], 443, 0x12)), None);
    let udp = Some((true, "1.1.1.1:443".to_owned()));
    assert_eq!(needed(&v4(UDP, [1, 1, 1, 1], 443, 0)), udp);
}

#[test]
fn there_is_none_where_nobody_could_be() {
    assert_eq!(needed(&v4(TCP, [1, 1, 1, 1], 0, 2)), None);
    assert_eq!(needed(&v4(UDP, [224, 0, 0, 1], 5353, 0)), None);
    assert_eq!(needed(&v4(1, [1, 1, 1, 1], 443, 2)), None);
    for (port, there_is) in [(80, true), (7, true), (53, true), (22, false)] {
        assert_eq!(needed(&v4(TCP, [10, 0, 0, 2], port, 2)).is_some(), there_is, "{port}");
    }
    for (port, there_is) in [(7, true), (53, true), (80, false)] {
        assert_eq!(needed(&v4(UDP, [10, 0, 0, 2], port, 2)).is_some(), there_is, "{port}");
    }
}

#[test]
fn nobody_is_let_through_to_the_loopback_of_the_host() {
    for to in [[127, 0, 0, 1], [127, 0, 0, 53], [127, 255, 255, 254]] {
        assert_eq!(needed(&v4(TCP, to, 631, 2)), None);
        assert_eq!(needed(&v4(UDP, to, 53, 0)), None);
    }
    for (to, there_is) in [
        ("::1", false),
        ("::ffff:127.0.0.1", false),
        ("::ffff:192.0.2.1", false),
        ("ff02::1", false),
        ("2001:db8::1", true),
    ] {
        assert_eq!(needed(&v6_syn(to.parse().unwrap())).is_some(), there_is, "{to}");
    }
}

#[test]
fn a_flood_of_destinations_opens_few_sockets() {
    let (opened, gateway) = mpsc::sync_channel(1 << 14);
    let wake = Arc::new(eventfd(0, EventfdFlags::NONBLOCK).unwrap());
    let clock = Clock::start();
    let mut filter = IngressFilter::new(PEER, 64, Waker { opened, wake });
    let (mut sockets, mut passed) = (0, 0);
    for number in 0..10_000u16 {
        let [high, low] = number.to_be_bytes();
        let ip = v4(UDP, [198, 18, high, low], 40_009, 0);
        let view = dissect(LinkType::RAW, &ip, 40).unwrap();
        passed += u64::from(filter.admits(&view, &ip));
        // The test closes sockets in place of the gateway.
        sockets += gateway.try_iter().count() as u64;
    }
    let turns = clock.now().since(Time::ZERO).as_nanos() / TURN.as_nanos() + 1;
    assert!((1..=turns * u64::from(OPENINGS)).contains(&sockets), "{sockets} in {turns} turns");
    // A client that finds no socket must not be refused: it is to try again.
    assert_eq!(passed, sockets);
}

#[test]
fn what_may_be_opened_is_renewed_each_turn() {
    let mut budget = Budget::default();
    let mut allowed = |now: Time| (0..100).filter(|_| budget.allows(now)).count();
    let at = |micros| Time::ZERO + Span::from_micros(micros);
    assert_eq!(allowed(at(5_000)), OPENINGS as usize);
    assert_eq!(allowed(at(9_999)), 0);
    assert_eq!(allowed(at(10_000)), OPENINGS as usize);
    assert_eq!(allowed(at(900_000)), OPENINGS as usize);
}

#[test]
fn the_filter_opens_each_socket_once_and_closes_the_oldest() {
    let (opened, gateway) = mpsc::sync_channel(8);
    let wake = Arc::new(eventfd(0, EventfdFlags::NONBLOCK).unwrap());
    let waker = Waker { opened, wake: Arc::clone(&wake) };
    let mut filter = IngressFilter::new(PEER, 1, waker);
    for port in [40_007, 40_007, 40_008] {
        let ip = v4(UDP, [192, 0, 2, 1], port, 0);
        let view = dissect(LinkType::RAW, &ip, 40).unwrap();
        assert!(filter.admits(&view, &ip));
    }
    let (first, second) = (gateway.try_recv().unwrap(), gateway.try_recv().unwrap());
    assert_eq!((first.destination.address.port(), first.instead_of), (40_007, None));
    assert_eq!(second.instead_of, Some(first.destination));
    assert!(gateway.try_recv().is_err());
    let mut count = [0; 8];
    rustix::io::read(&wake, &mut count).unwrap();
    assert_eq!(u64::from_ne_bytes(count), 2);
}
