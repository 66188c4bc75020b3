//! Packets of every kind, whole and cut off.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use support::{ethernet, ipv4, ipv6, payload_len, tcp, udp};
use wire::{LARGEST_PACKET, LinkType, NonIp, PacketView, dissect};

/// A packet that was captured whole.
fn whole(link_type: LinkType, data: &[u8]) -> Result<PacketView, NonIp> {
    dissect(link_type, data, data.len() as u64)
}

fn raw(data: &[u8]) -> Result<PacketView, NonIp> {
    whole(LinkType::RAW, data)
}

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// The view of `ipv4(6, &tcp(payload))`.
fn a_segment(payload: u64) -> PacketView {
    PacketView {
        ip_len: 52 + payload,
        header_len: 52,
        transport_start: 20,
        ecn: 2,
        dscp: 46,
        protocol: 6,
        source: address("192.0.2.1"),
        destination: address("198.51.100.2"),
        ports: Some((40_000, 443)),
        is_fragment: false,
    }
}

#[test]
fn tcp_over_ipv4() {
    let view = raw(&ipv4(6, &tcp(&[0; 100]))).unwrap();
    assert_eq!(view, a_segment(100));
    assert_eq!(payload_len(&view), 100);
}

#[test]
fn udp_over_ipv6() {
    let view = raw(&ipv6(17, &udp(&[0; 100]))).unwrap();
    let expected = PacketView {
        ip_len: 148,
        header_len: 48,
        transport_start: 40,
        ecn: 3,
        dscp: 10,
        protocol: 17,
        source: address("2001:db8::1"),
        destination: address("2001:db8::2"),
        ports: Some((5353, 53)),
        is_fragment: false,
    };
    assert_eq!(view, expected);
    assert_eq!(payload_len(&view), 100);
}

#[test]
fn headers_of_other_protocols() {
    let body = [0x12, 0x34, 0x56, 0x78, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (protocol, transport, has_ports) in [
        (1, 8, false),
        (17, 8, true),
        (136, 8, true),
        (132, 12, true),
        (33, 16, true),
        (47, 0, false),
    ] {
        let view = raw(&ipv4(protocol, &body)).unwrap();
        assert_eq!((view.protocol, view.header_len), (protocol, 20 + transport), "{protocol}");
        assert_eq!(view.ports, has_ports.then_some((0x1234, 0x5678)), "{protocol}");
    }
    let view = raw(&ipv6(58, &body)).unwrap();
    assert_eq!((view.header_len, view.ports), (48, None));
    // A header that cannot fit is taken to be as long as there is room.
    assert_eq!(raw(&ipv4(6, &[0; 10])).unwrap().header_len, 30);
}

/// A SNAP header that announces IPv4 (RFC 1042).
const SNAP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];

/// A radiotap header with the time, and flags that say that the header behind is filled up.
fn padded_radiotap() -> Vec<u8> {
    let radiotap = [&[0, 0, 17, 0, 3, 0, 0, 0][..], &[7; 8], &[0x20]].concat();
    [&radiotap[..], &[0x88, 1], &[0; 24], &[0; 2], &SNAP].concat()
}

#[test]
fn every_link_type_leads_to_the_packet() {
    let packet = ipv4(6, &tcp(b"x"));
    let after = |header: &[u8]| [header, &packet].concat();
    let vlan = |tags: &[u8]| after(&[&[0; 12], tags].concat());
    let cooked =
        |protocol: &[u8]| after(&[&[0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0], protocol].concat());
    let cooked2 = |protocol: &[u8]| {
        after(&[protocol, &[0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0]].concat())
    };
    for (link_type, data) in [
        (LinkType::RAW, packet.clone()),
        (LinkType(12), packet.clone()),
        (LinkType(14), packet.clone()),
        (LinkType::IPV4, packet.clone()),
        (LinkType::ETHERNET, ethernet(0x0800, &packet)),
        // 802.1Q; 802.1ad; three tags, one as it was before 802.1ad.
        (LinkType::ETHERNET, vlan(&[0x81, 0, 0, 5, 8, 0])),
        (LinkType::ETHERNET, vlan(&[0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 8, 0])),
        (LinkType::ETHERNET, vlan(&[0x91, 0, 0, 5, 0x88, 0xa8, 0, 6, 0x81, 0, 0, 7, 8, 0])),
        // PPPoE, also in a VLAN, as many providers have it; protocol numbers of one byte.
        (LinkType::ETHERNET, vlan(&[0x88, 0x64, 0x11, 0, 0, 1, 0, 55, 0, 0x21])),
        (LinkType::ETHERNET, vlan(&[0x81, 0, 0, 7, 0x88, 0x64, 0x11, 0, 0, 1, 0, 55, 0, 0x21])),
        (LinkType::ETHERNET, vlan(&[0x88, 0x64, 0x11, 0, 0, 1, 0, 54, 0x21])),
        // Two labels of MPLS; SNAP.
        (LinkType::ETHERNET, vlan(&[0x88, 0x47, 0, 0, 0x10, 64, 0, 0, 0x21, 64])),
        (LinkType::ETHERNET, vlan(&[0, 61, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0])),
        (LinkType::SLL, cooked(&[8, 0])),
        (LinkType::SLL, cooked(&[0x81, 0, 0, 5, 8, 0])),
        (LinkType::SLL, cooked(&[0, 4, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0])),
        (LinkType::SLL2, cooked2(&[8, 0])),
        (LinkType::NULL, after(&[2, 0, 0, 0])),
        (LinkType::NULL, after(&[0, 0, 0, 2])),
        (LinkType::LOOP, after(&[0, 0, 0, 2])),
        (LinkType::PPP, after(&[0xff, 3, 0, 0x21])),
        (LinkType::PPP, after(&[0x21])),
        (LinkType::PPP_HDLC, after(&[0xff, 3, 0, 0x21])),
        (LinkType::PPP_HDLC, after(&[0x0f, 0, 8, 0])),
        (LinkType::PPP_HDLC, after(&[0x8f, 0, 8, 0])),
        (LinkType::ATM_LLC, after(&SNAP)),
        (LinkType::PPPOE, after(&[0x11, 0, 0, 1, 0, 55, 0, 0x21])),
        (LinkType::CISCO_HDLC, after(&[0x0f, 0, 8, 0])),
        (LinkType::FDDI, after(&[&[0x50][..], &[0; 12], &SNAP].concat())),
        // A tag of a virtual network.
        (LinkType::ETHERNET, vlan(&[0x89, 0x26, 0, 0, 0, 1, 8, 0])),
        // Data; with QoS; between access points.
        (LinkType::IEEE80211, after(&[&[8, 1][..], &[0; 22], &SNAP].concat())),
        (LinkType::IEEE80211, after(&[&[0x88, 2][..], &[0; 24], &SNAP].concat())),
        (LinkType::IEEE80211, after(&[&[0x88, 0x83][..], &[0; 34], &SNAP].concat())),
        // A radiotap header of 8 bytes, and one with time and flags: the QoS header is filled up.
        (
            LinkType::RADIOTAP,
            after(&[&[0, 0, 8, 0, 0, 0, 0, 0, 8, 1][..], &[0; 22], &SNAP].concat()),
        ),
        (LinkType::RADIOTAP, after(&padded_radiotap())),
        // The kind of the packet, a mark, and the packet.
        (
            LinkType::NFLOG,
            after(&[2, 0, 0, 7, 8, 0, 1, 0, 8, 0, 1, 1, 5, 0, 10, 0, 0, 0, 0, 0, 57, 0, 9, 0]),
        ),
        (LinkType::PKTAP, after(&[&[16, 0, 0, 0, 1, 0, 0, 0, 101, 0, 0, 0][..], &[0; 4]].concat())),
    ] {
        assert_eq!(whole(link_type, &data), Ok(a_segment(1)), "{link_type} {data:02x?}");
        // A packet that is cut off still gives a result, and 33 bytes of it are enough for all
        // fields.
        let header_len = data.len() - packet.len();
        for end in 0..data.len() {
            let view = dissect(link_type, &data[..end], data.len() as u64);
            match end.checked_sub(header_len) {
                Some(33..) => assert_eq!(view, Ok(a_segment(1)), "{link_type} {end}"),
                Some(20..) => assert_eq!(view.unwrap().ip_len, 53, "{link_type} {end}"),
                _ => assert!(matches!(view, Err(NonIp::CutOff | NonIp::Ppp(0xff))), "{view:?}"),
            }
        }
    }
    let packet = ipv6(6, &tcp(b"x"));
    for family in [10, 23, 24, 28, 30] {
        let data = [&[family, 0, 0, 0], packet.as_slice()].concat();
        assert_eq!(whole(LinkType::NULL, &data).unwrap().ip_len, 73);
    }
    assert_eq!(whole(LinkType::ETHERNET, &ethernet(0x86dd, &packet)).unwrap().ip_len, 73);
}

#[test]
fn a_packet_may_be_cut_off_anywhere_behind_its_addresses() {
    let packet = ipv4(6, &tcp(&[0; 1000]));
    let cut = |length: usize| dissect(LinkType::RAW, &packet[..length], packet.len() as u64);
    for length in 0..20 {
        assert_eq!(cut(length), Err(NonIp::CutOff), "{length}");
    }
    // TCP options that were not captured are not counted.
    for length in 20..24 {
        let expected = PacketView { ports: None, header_len: 40, ..a_segment(1000) };
        assert_eq!(cut(length), Ok(expected), "{length}");
    }
    for length in 24..33 {
        let expected = PacketView { header_len: 40, ..a_segment(1000) };
        assert_eq!(cut(length), Ok(expected), "{length}");
    }
    for length in 33..packet.len() {
        assert_eq!(cut(length), Ok(a_segment(1000)), "{length}");
    }
}

#[test]
fn common_snap_lengths_suffice() {
    let v4 = ethernet(0x0800, &ipv4(6, &tcp(&[0; 1000])));
    let v6 = ethernet(0x86dd, &ipv6(6, &tcp(&[0; 1000])));
    for snap_len in [64, 68, 96, 128] {
        for (frame, ip_len) in [(&v4, 1052), (&v6, 1072)] {
            let view = dissect(LinkType::ETHERNET, &frame[..snap_len], frame.len() as u64).unwrap();
            assert_eq!((view.ip_len, view.ports), (ip_len, Some((40_000, 443))), "{snap_len}");
            let seen = snap_len >= ip_len as usize - 1032 + 14 + 13;
            assert_eq!(payload_len(&view), if seen { 1000 } else { 1012 }, "{snap_len}");
        }
    }
}

#[test]
fn padding_is_no_part_of_a_packet() {
    let mut frame = ethernet(0x0800, &ipv4(17, b""));
    frame.resize(60, 0xff);
    let view = whole(LinkType::ETHERNET, &frame).unwrap();
    assert_eq!((view.ip_len, view.header_len, view.ports), (20, 20, None));
}

#[test]
fn super_packets_without_a_length_are_as_long_as_what_was_captured() {
    for (ether_type, mut packet, len_at) in
        [(0x0800, ipv4(6, &tcp(b"")), 2), (0x86dd, ipv6(6, &tcp(b"")), 4)]
    {
        packet[len_at..len_at + 2].fill(0);
        let frame = ethernet(ether_type, &packet);
        let view = dissect(LinkType::ETHERNET, &frame, 14 + 200_000).unwrap();
        assert_eq!(view.ip_len, 200_000);
        assert_eq!(usize::from(view.header_len as u16), packet.len());
        // Only possible lengths are accepted.
        let longest = dissect(LinkType::ETHERNET, &frame, 14 + LARGEST_PACKET).unwrap();
        assert_eq!(longest.ip_len, LARGEST_PACKET);
        for original in [15 + LARGEST_PACKET, u64::MAX] {
            assert_eq!(dissect(LinkType::ETHERNET, &frame, original), Err(NonIp::Malformed));
        }
        // A capture may even lack the length of a packet.
        assert_eq!(dissect(LinkType::ETHERNET, &frame, 0).unwrap().ip_len, packet.len() as u64);
    }
}

/// Extension headers of IPv6, then the segment.
fn extended(first: u8, headers: &[u8]) -> Vec<u8> {
    ipv6(first, &[headers, &tcp(b"x")].concat())
}

#[test]
fn extension_headers_are_passed_over() {
    let hop_by_hop = [60, 0, 1, 4, 0, 0, 0, 0];
    let destination = [43, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let routing = [51, 0, 4, 0, 0, 0, 0, 0];
    let authentication = [6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let all = [&hop_by_hop[..], &destination, &routing, &authentication].concat();
    let packet = extended(0, &all);
    let view = raw(&packet).unwrap();
    assert_eq!((view.protocol, view.ports), (6, Some((40_000, 443))));
    assert_eq!((view.header_len, payload_len(&view)), (40 + 44 + 32, 1));
    for end in 40..packet.len() {
        let cut = dissect(LinkType::IPV6, &packet[..end], packet.len() as u64).unwrap();
        assert_eq!(cut.ip_len, view.ip_len);
        assert!(cut.header_len <= view.header_len, "{end}");
    }
}

#[test]
fn extension_headers_that_leave_the_packet_are_malformed() {
    assert_eq!(raw(&extended(0, &[6, 200, 1, 4, 0, 0, 0, 0])), Err(NonIp::Malformed));
}

#[test]
fn jumbograms_tell_their_length_in_an_option() {
    for options in [[6, 0, 0xc2, 4, 0, 4, 0, 0], [6, 0, 0xc2, 4, 0, 1, 0, 1]] {
        let mut packet = extended(0, &options);
        packet[4..6].fill(0);
        let length = u32::from_be_bytes(options[4..8].try_into().unwrap());
        let view = dissect(LinkType::RAW, &packet, 2_000_000).unwrap();
        assert_eq!(view.ip_len, 40 + u64::from(length));
        assert_eq!(view.header_len, 40 + 8 + 32);
    }
    // RFC 2675 section 3: 65535 and less is an error; other options may come before it.
    let mut packet = extended(0, &[6, 0, 0xc2, 4, 0, 0, 255, 255]);
    packet[4..6].fill(0);
    assert_eq!(dissect(LinkType::RAW, &packet, 70_000).unwrap().ip_len, 70_000);
    let mut packet = extended(0, &[6, 1, 0, 1, 1, 9, 0, 0xc2, 4, 0, 2, 0, 0, 0, 0, 0]);
    packet[4..6].fill(0);
    assert_eq!(raw(&packet).unwrap().ip_len, 40 + 0x20000);
    // Nothing follows: that is no super-packet.
    let mut frame = ethernet(0x86dd, &ipv6(59, b""));
    frame.resize(60, 0);
    assert_eq!(whole(LinkType::ETHERNET, &frame).unwrap().ip_len, 40);
}

#[test]
fn fragments_stay_together() {
    let piece = |flags: u16| {
        let mut packet = ipv4(17, &udp(b"12345678"));
        packet[6..8].copy_from_slice(&flags.to_be_bytes());
        raw(&packet).unwrap()
    };
    let (first, later, last) = (piece(0x2000), piece(0x2001), piece(0x0002));
    assert_eq!((first.ports, first.header_len), (Some((5353, 53)), 28));
    for view in [later, last] {
        assert_eq!((view.ports, view.header_len, payload_len(&view)), (None, 20, 16));
    }
    let whole = piece(0x4000);
    assert!(!whole.is_fragment && first.is_fragment && later.is_fragment && last.is_fragment);
    let hashes: BTreeSet<_> = [first, later, last].map(|view| view.flow_hash(1)).into();
    assert_eq!(hashes.len(), 1);
    assert!(!hashes.contains(&whole.flow_hash(1)));
}

#[test]
fn fragments_of_ipv6() {
    let piece = |offset_and_more: [u8; 2]| {
        let header = [6, 0, offset_and_more[0], offset_and_more[1], 0, 0, 0, 1];
        raw(&extended(44, &header)).unwrap()
    };
    let (first, later, atomic) = (piece([0, 1]), piece([1, 0]), piece([0, 0]));
    assert_eq!((first.ports, first.is_fragment), (Some((40_000, 443)), true));
    assert_eq!((later.ports, later.is_fragment, later.protocol), (None, true, 6));
    assert_eq!(later.header_len, 48);
    // RFC 6946: a fragment that is the whole packet.
    assert_eq!((atomic.ports, atomic.is_fragment), (Some((40_000, 443)), false));
}

#[test]
fn what_is_no_ip_is_named() {
    let frame = |ether_type| ethernet(ether_type, &[0; 46]);
    let llc = |service| ethernet(46, &[service; 46]);
    let loopback = [7, 0, 0, 0, 0x45];
    let netlink = [&[0, 4, 3, 56][..], &[0; 40]].concat();
    let ppp = [0xff, 3, 0xc0, 0x21, 1];
    for (link_type, data, non_ip, name) in [
        (LinkType::ETHERNET, frame(0x0806), NonIp::EtherType(0x0806), "ARP"),
        (LinkType::ETHERNET, frame(0x88cc), NonIp::EtherType(0x88cc), "LLDP"),
        (LinkType::ETHERNET, frame(0x1234), NonIp::EtherType(0x1234), "EtherType 0x1234"),
        (LinkType::ETHERNET, llc(0x42), NonIp::Llc(0x42), "STP"),
        (LinkType::ETHERNET, llc(0x06), NonIp::Llc(0x06), "LLC service 0x0006"),
        (LinkType::SLL, netlink, NonIp::LinkType(LinkType(253)), "Linux netlink (link type 253)"),
        (LinkType::NULL, loopback.into(), NonIp::Family(7), "address family 7"),
        (LinkType::PPP, ppp.into(), NonIp::Ppp(0xc021), "LCP"),
        (LinkType(105), vec![0; 60], NonIp::LinkType(LinkType(105)), "IEEE 802.11 (link type 105)"),
        (LinkType(4711), vec![], NonIp::LinkType(LinkType(4711)), "link type 4711"),
        (LinkType::RAW, vec![0x50; 60], NonIp::Malformed, "malformed IP header"),
        (LinkType::RAW, vec![0x44; 60], NonIp::Malformed, "malformed IP header"),
        (LinkType::RAW, vec![], NonIp::CutOff, "cut off before the end of the IP header"),
        (LinkType::ETHERNET, vec![0; 13], NonIp::CutOff, "cut off before the end of the IP header"),
    ] {
        assert_eq!(whole(link_type, &data), Err(non_ip), "{link_type}");
        assert_eq!(non_ip.to_string(), name);
    }
    // Shorter than its own header.
    let mut packet = ipv4(6, &tcp(b""));
    packet[3] = 19;
    assert_eq!(raw(&packet), Err(NonIp::Malformed));
}

#[test]
fn flows_spread_and_salt_matters() {
    let mut buckets = BTreeMap::<u32, u32>::new();
    let (mut hashes, mut moved) = (BTreeSet::new(), 0);
    for port in 0..8192_u16 {
        let view = PacketView { ports: Some((port, 443)), ..a_segment(0) };
        let hash = view.flow_hash(7);
        hashes.insert(hash);
        *buckets.entry(hash % 1024).or_default() += 1;
        moved += u32::from(view.flow_hash(8) % 1024 != hash % 1024);
    }
    // By chance, collisions among 8192 hashes of 32 bits number less than 0.01, 8 hashes are
    // expected in a bucket, and 28 in one of 1024 has a probability below 1e-5.
    assert!(hashes.len() >= 8191, "{}", hashes.len());
    assert!(buckets.len() > 1000 && buckets.values().all(|count| *count < 28), "{buckets:?}");
    assert!(moved > 8000, "{moved}");
}

#[test]
fn all_of_the_five_tuple_counts() {
    let base = a_segment(0);
    let v6 = PacketView { source: address("2001:db8::1"), ..base };
    let views = [
        base,
        v6,
        PacketView { source: base.destination, destination: base.source, ..base },
        PacketView { source: address("192.0.2.2"), ..base },
        PacketView { destination: address("192.0.2.2"), ..base },
        PacketView { protocol: 17, ..base },
        PacketView { ports: Some((443, 40_000)), ..base },
        PacketView { ports: None, ..base },
        PacketView { source: address("2001:db8:1::1"), ..v6 },
        PacketView { source: address("2001:db8::2"), ..v6 },
        PacketView { ports: Some((443, 40_000)), ..v6 },
    ];
    let hashes: BTreeSet<_> = views.map(|view| view.flow_hash(0)).into();
    assert_eq!(hashes.len(), views.len());
    let same = PacketView { ip_len: 1500, header_len: 60, ecn: 3, dscp: 0, ..base };
    assert_eq!(same.flow_hash(3), base.flow_hash(3));
}
