//! Packets made by hand: of both families, whole and in fragments, with right checksums. No kernel
//! answers them.

use std::net::IpAddr;

use wire::{Checksum, protocol};

/// The port of the datagrams. Somebody must listen there, or the receiver's kernel answers.
pub(crate) const PORT: u16 = 9000;
/// The links that a packet may still cross.
pub(crate) const HOPS: u8 = 64;
/// The bytes of data in the first of two fragments, of which every offset is a multiple of 8.
const FIRST: usize = 800;
/// The extension header of a fragment (RFC 8200 section 4.5).
const FRAGMENT: u8 = 44;

/// The fields of a packet that vary.
struct Header {
    from: IpAddr,
    to: IpAddr,
    traffic_class: u8,
    protocol: u8,
    id: u16,
}

/// The data of an IP packet: all of a message, or a part of it.
struct Part<'a> {
    data: &'a [u8],
    at: usize,
    is_last: bool,
}

/// The packets of the message with this number: by turns TCP, UDP, a ping's answer, and UDP in two
/// fragments. Each traffic class comes once in 256 messages.
pub(crate) fn packets(from: IpAddr, to: IpAddr, number: u16) -> Vec<Vec<u8>> {
    let in_fragments = number % 4 == 3;
    let len = usize::from(number) * 53 % 1200 + if in_fragments { FIRST } else { 4 };
    let mut data: Vec<u8> = (0..len).map(|at| (at * 7) as u8).collect();
    data[..2].copy_from_slice(&number.to_be_bytes());
    let protocol = match (number % 4, from.is_ipv6()) {
        (0, _) => protocol::TCP,
        (2, false) => protocol::ICMP,
        (2, true) => protocol::ICMPV6,
        _ => protocol::UDP,
    };
    let header = Header { from, to, traffic_class: number as u8, protocol, id: number + 1 };
    let message = message(&header, &data);
    let (first, rest) = match in_fragments {
        true => message.split_at(FIRST),
        false => (&message[..], &[][..]),
    };
    let first = packet(&header, &Part { data: first, at: 0, is_last: rest.is_empty() });
    let rest = Part { data: rest, at: FIRST, is_last: true };
    [first].into_iter().chain(in_fragments.then(|| packet(&header, &rest))).collect()
}

/// A message of the transport protocol, with its header.
fn message(header: &Header, data: &[u8]) -> Vec<u8> {
    let len = 8 + data.len() as u16;
    let ports = [PORT.to_be_bytes(), PORT.to_be_bytes()].concat();
    let (start, checksum_at) = match header.protocol {
        // A reset, with its number and the length of its header; RFC 9293 section 3.1.
        protocol::TCP => ([&ports[..], &[0; 8], &[0x50, 4, 0, 0, 0, 0, 0, 0]].concat(), 16),
        protocol::UDP => ([&ports[..], &len.to_be_bytes(), &[0, 0]].concat(), 6),
        protocol::ICMP => (vec![0; 8], 2),
        _ => ([&[129][..], &[0; 7]].concat(), 2),
    };
    let mut message = [&start, data].concat();
    let mut checksum = Checksum::default();
    // The pseudo header; RFC 792 has none.
    if header.protocol != protocol::ICMP {
        let len = message.len() as u16;
        checksum = checksum.with(&bytes(header.from)).with(&bytes(header.to));
        checksum = checksum.with(&[0, header.protocol]).with(&len.to_be_bytes());
    }
    let checksum = checksum.with(&message).finish();
    message[checksum_at..checksum_at + 2].copy_from_slice(&checksum.to_be_bytes());
    message
}

/// An IP packet. The kernel that sends it writes the checksum of IPv4.
fn packet(header: &Header, part: &Part<'_>) -> Vec<u8> {
    let [high, low] = header.id.to_be_bytes();
    let Header { traffic_class, protocol, .. } = *header;
    let mut start = if header.from.is_ipv6() {
        let is_whole = part.at == 0 && part.is_last;
        let more = part.at as u16 | u16::from(!part.is_last);
        let fragment = [&[protocol, 0][..], &more.to_be_bytes(), &[0, 0, high, low]].concat();
        let fragment = if is_whole { vec![] } else { fragment };
        let next = if is_whole { protocol } else { FRAGMENT };
        let len = ((fragment.len() + part.data.len()) as u16).to_be_bytes();
        let class = [0x60 | traffic_class >> 4, traffic_class << 4];
        let fixed = [&class[..], &[0, 0], &len, &[next, HOPS]].concat();
        [fixed, bytes(header.from), bytes(header.to), fragment].concat()
    } else {
        const MORE: u16 = 0x2000;
        let more = part.at as u16 / 8 + if part.is_last { 0 } else { MORE };
        let len = (20 + part.data.len() as u16).to_be_bytes();
        let fixed = [&[0x45, traffic_class][..], &len, &[high, low], &more.to_be_bytes()].concat();
        let rest = [HOPS, protocol, 0, 0];
        [fixed, rest.to_vec(), bytes(header.from), bytes(header.to)].concat()
    };
    start.extend_from_slice(part.data);
    start
}

fn bytes(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}
