use std::net::Ipv4Addr;

use live::Offload;
use wire::{
    Ethernet, Frame, Ipv4, LinkType, MacAddress, TcpHeader, TcpOptions, Transport, dissect,
};

use super::*;

const HOME: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 3);

/// An IP packet from home to the server.
fn packet(transport: Transport<'_>, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mac = MacAddress::local(1);
    let ethernet = Ethernet { source: mac, destination: mac };
    let ip = Ipv4 { source: HOME, destination: SERVER, ttl: 64, id: 7, traffic_class: 0 };
    let mut bytes = Frame::default().build(&ethernet, &ip, &transport, 64)[14..].to_vec();
    change(&mut bytes);
    bytes
}

fn tcp(source: u16, destination: u16) -> Transport<'static> {
    let options = TcpOptions::default();
    let header = TcpHeader { source, destination, seq: 0, ack: 0, flags: 0, window: 0, options };
    Transport::Tcp(header)
}

fn udp(source: u16, destination: u16) -> Transport<'static> {
    Transport::Udp { source, destination }
}

fn echo(id: u16, is_reply: bool) -> Transport<'static> {
    Transport::Echo { is_reply, id, sequence: 1 }
}

fn tag(classifier: &mut Classifier, ip: &[u8], names: &mut Vec<String>) -> Option<u32> {
    let view = dissect(LinkType::RAW, ip, 0).unwrap();
    let cut = PacketSlices::whole(ip, Offload::default());
    classifier.tag(&view, &cut, |name| {
        names.push(name);
        names.len() as u32
    })
}

/// The flow of a packet among three planned flows.
fn planned(transport: Transport<'_>, change: impl FnOnce(&mut [u8])) -> Option<u32> {
    tag(&mut Classifier::Planned(3), &packet(transport, change), &mut Vec::new())
}

#[test]
fn planned_flows_are_known_by_one_port() {
    let same = |_: &mut [u8]| ();
    assert_eq!(planned(tcp(40_000, 2000), same), Some(0));
    assert_eq!(planned(tcp(2002, 40_000), same), Some(2));
    assert_eq!(planned(udp(40_000, 2001), same), Some(1));
    assert_eq!(planned(echo(2001, false), same), Some(1));
    assert_eq!(planned(echo(2001, true), same), Some(1));
}

#[test]
fn what_belongs_to_no_planned_flow_is_noise() {
    let same = |_: &mut [u8]| ();
    assert_eq!(planned(tcp(40_000, 2003), same), None);
    assert_eq!(planned(udp(137, 137), same), None);
    assert_eq!(planned(echo(1999, false), same), None);
    // IGMP, and a router solicitation.
    assert_eq!(planned(udp(0, 0), |ip| ip[9] = 2), None);
    assert_eq!(planned(echo(2000, false), |ip| ip[20] = 10), None);
}

#[test]
fn errors_and_pieces_of_packets_are_carried_for_nobody() {
    for kind in [3, 4, 11, 12] {
        assert_eq!(planned(echo(0, false), |ip| ip[20] = kind), Some(3));
    }
    let later_piece = |ip: &mut [u8]| ip[7] = 100;
    assert_eq!(planned(udp(1, 2), later_piece), Some(3));
    assert_eq!(planned(echo(2000, false), later_piece), Some(3));
}

#[test]
fn nothing_is_carried_to_groups() {
    for address in [[224, 0, 0, 251], [255; 4]] {
        let group = |ip: &mut [u8]| ip[16..20].copy_from_slice(&address);
        assert_eq!(planned(tcp(1, 2000), group), None);
        let ip = packet(tcp(1, 2000), group);
        assert_eq!(tag(&mut Classifier::Nameless, &ip, &mut Vec::new()), None);
    }
}

#[test]
fn without_names_packets_are_known_by_their_protocol() {
    let same = |_: &mut [u8]| ();
    for (transport, protocol) in [(tcp(1, 2), 6), (udp(1, 2), 17), (echo(1, true), 1)] {
        let ip = packet(transport, same);
        assert_eq!(tag(&mut Classifier::Nameless, &ip, &mut Vec::new()), Some(protocol));
    }
}

#[test]
fn conversations_are_named_by_their_first_packet() {
    let mut names = vec![];
    let mut classifier = Classifier::Named(FlowNames::default());
    let back = |ip: &mut [u8]| {
        ip[12..16].copy_from_slice(&SERVER.octets());
        ip[16..20].copy_from_slice(&HOME.octets());
    };
    let there = packet(tcp(33_000, 80), |_| ());
    let packets = [
        there.clone(),
        packet(tcp(80, 33_000), back),
        packet(udp(33_000, 80), |_| ()),
        packet(echo(9, false), |_| ()),
        packet(echo(9, true), back),
        packet(echo(10, false), |_| ()),
        there,
    ];
    let tags = packets.map(|ip| tag(&mut classifier, &ip, &mut names).unwrap());
    assert_eq!(tags, [1, 1, 2, 3, 3, 4, 1]);
    let icmp = "icmp 10.0.0.1 10.0.0.3";
    let expected = ["tcp 10.0.0.1:33000 10.0.0.3:80", "udp 10.0.0.1:33000 10.0.0.3:80", icmp, icmp];
    assert_eq!(names, expected);
}

/// A program that opens many connections must not fill the memory.
#[test]
fn names_are_bounded() {
    let mut names = vec![];
    let mut classifier = Classifier::Named(FlowNames::default());
    for connection in 0..=MOST_NAMES as u16 {
        let ip = packet(udp(connection, connection), |_| ());
        let number = tag(&mut classifier, &ip, &mut names).unwrap();
        let expected = u32::from(connection) + 1;
        assert_eq!(number, if expected > MOST_NAMES as u32 { 0 } else { expected });
    }
    let known = packet(udp(0, 0), |_| ());
    assert_eq!(tag(&mut classifier, &known, &mut names), Some(1));
    assert_eq!(names.len(), MOST_NAMES);
}

/// Headers that end early must not be read beyond their end.
#[test]
fn packets_that_are_cut_off_are_no_danger() {
    for whole in [packet(tcp(1, 2000), |_| ()), packet(echo(2000, false), |_| ())] {
        for len in 20..60 {
            tag(&mut Classifier::Planned(1), &whole[..len], &mut Vec::new());
            tag(&mut Classifier::Named(FlowNames::default()), &whole[..len], &mut Vec::new());
        }
    }
}
