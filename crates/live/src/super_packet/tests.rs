//! Cut super-packets must equal the packets that a slow and literal reference builds one by one,
//! and no damage to a super-packet may lead to a panic.

use proptest::collection::vec;
use proptest::prelude::*;
use wire::{LinkType, dissect};

use super::*;

const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const ACK: u8 = 0x10;
const CWR: u8 = 0x80;

/// The parts that all packets of a super-packet share, and its payload.
#[derive(Clone, Debug)]
struct Spec {
    is_v6: bool,
    is_tcp: bool,
    /// The length of IPv4 options, or of an IPv6 header of destination options, in units of eight
    /// bytes.
    ip_extra: usize,
    /// The length of TCP options, in words.
    tcp_extra: usize,
    tos: u8,
    id: u16,
    sequence: u32,
    flags: u8,
    cwr_first: bool,
    ports: (u16, u16),
    payload: Vec<u8>,
    segment: u16,
}

fn spec() -> impl Strategy<Value = Spec> {
    let network = (any::<bool>(), 0_usize..3, any::<u8>(), any::<u16>());
    let transport = (any::<bool>(), 0_usize..11, any::<u32>(), any::<u8>(), any::<bool>());
    let payload = (vec(any::<u8>(), 1..6000), 1_u16..3000, any::<(u16, u16)>());
    (network, transport, payload).prop_map(|(network, transport, (payload, segment, ports))| {
        let (is_v6, ip_extra, tos, id) = network;
        let (is_tcp, tcp_extra, sequence, flags, cwr_first) = transport;
        let segment = segment.min(payload.len() as u16);
        #[rustfmt::skip]
        let spec = Spec {
            is_v6, is_tcp, ip_extra, tcp_extra, tos, id, sequence, flags, cwr_first, ports,
            payload, segment,
        };
        spec
    })
}

/// An independent sum: a word at a time.
fn sum(bytes: &[u8]) -> u16 {
    let mut sum = 0_u32;
    for pair in bytes.chunks(2) {
        sum += u32::from(pair[0]) * 256 + u32::from(*pair.get(1).unwrap_or(&0));
        if sum > 0xffff {
            sum -= 0xffff;
        }
    }
    sum as u16
}

impl Spec {
    /// The IP header, and the sum of the pseudo-header, before `transport_len` bytes.
    fn network(&self, tos: u8, id: u16, transport_len: usize) -> (Vec<u8>, u16) {
        let protocol = if self.is_tcp { 6 } else { 17 };
        let (mut ip, mut pseudo) = (vec![], vec![]);
        let extra = self.ip_extra * 8;
        if self.is_v6 {
            let payload_len = u16::try_from(extra + transport_len).unwrap_or(0).to_be_bytes();
            let first = if extra > 0 { 60 } else { protocol };
            ip.extend([0x60 | tos >> 4, tos << 4 | 0x5, 0xab, 0xcd]);
            ip.extend([payload_len[0], payload_len[1], first, 64]);
            ip.extend((0..32).map(|n| n * 7));
            if extra > 0 {
                // RFC 8200 section 4.2: padding is an option of its own.
                ip.extend([protocol, self.ip_extra as u8 - 1, 1, extra as u8 - 4]);
                ip.resize(40 + extra, 0);
            }
            pseudo.extend(&ip[8..40]);
        } else {
            let len = u16::try_from(20 + extra + transport_len).unwrap_or(0).to_be_bytes();
            ip.extend([0x45 + extra as u8 / 4, tos, len[0], len[1]]);
            ip.extend(id.to_be_bytes());
            ip.extend([0x40, 0, 63, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
            ip.resize(20 + extra, 1);
            let checksum = !sum(&ip);
            ip[10..12].copy_from_slice(&checksum.to_be_bytes());
            pseudo.extend(&ip[12..20]);
        }
        pseudo.extend((transport_len as u32).to_be_bytes());
        pseudo.extend([0, 0, 0, protocol]);
        (ip, sum(&pseudo))
    }

    fn transport(&self, sequence: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = [self.ports.0.to_be_bytes(), self.ports.1.to_be_bytes()].concat();
        if self.is_tcp {
            bytes.extend(sequence.to_be_bytes());
            bytes.extend([1, 2, 3, 4, (5 + self.tcp_extra as u8) << 4, flags, 0x12, 0x34]);
            bytes.extend([0; 4]);
            bytes.resize(20 + self.tcp_extra * 4, 1);
        } else {
            bytes.extend(u16::try_from(8 + payload.len()).unwrap_or(0).to_be_bytes());
            bytes.extend([0; 2]);
        }
        bytes.extend(payload);
        bytes
    }

    fn checksum_at(&self) -> usize {
        if self.is_tcp { 16 } else { 6 }
    }

    /// The super-packet, as a kernel hands it over.
    fn whole(&self) -> (Vec<u8>, Offload) {
        let mut transport = self.transport(self.sequence, self.flags, &self.payload);
        let (mut ip, pseudo) = self.network(self.tos, self.id, transport.len());
        let at = self.checksum_at();
        transport[at..at + 2].copy_from_slice(&pseudo.to_be_bytes());
        let checksum = Some(PartialChecksum { start: ip.len() as u16, offset: at as u16 });
        let (tcp, size, cwr_first) = (self.is_tcp, self.segment, self.cwr_first);
        let segmentation = Some(Segmentation { tcp, size, cwr_first });
        ip.extend(transport);
        (ip, Offload { checksum, segmentation })
    }

    /// The packets, each built from nothing.
    fn packets(&self, is_marked: impl Fn(u16) -> bool) -> Vec<Vec<u8>> {
        let chunks = self.payload.chunks(self.segment.into());
        let last = chunks.len() - 1;
        let packet = |(index, payload): (usize, &[u8])| {
            let mut flags = self.flags;
            if index != last {
                flags &= !(FIN | PSH);
            }
            if index != 0 && self.cwr_first {
                flags &= !CWR;
            }
            let sequence = self.sequence.wrapping_add((index * usize::from(self.segment)) as u32);
            let mut transport = self.transport(sequence, flags, payload);
            let tos = if is_marked(index as u16) { self.tos | 3 } else { self.tos };
            let id = self.id.wrapping_add(index as u16);
            let (mut ip, pseudo) = self.network(tos, id, transport.len());
            let mut checksum = !sum(&[&pseudo.to_be_bytes()[..], &transport].concat());
            if checksum == 0 && !self.is_tcp {
                checksum = 0xffff;
            }
            let at = self.checksum_at();
            transport[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
            ip.extend(transport);
            ip
        };
        chunks.enumerate().map(packet).collect()
    }
}

fn parsed(ip: &[u8], offload: Offload) -> Result<SuperPacket, Malformed> {
    let view = dissect(LinkType::RAW, ip, ip.len() as u64).map_err(|_| Malformed)?;
    SuperPacket::parse(ip, &view, offload)
}

fn packets_of(cut: &PacketSlices<'_>) -> Vec<Vec<u8>> {
    let mut packets = vec![];
    cut.each_packet(&mut vec![], &mut |packet| packets.push(packet.to_vec()));
    packets
}

/// True if all checksums and lengths of a packet are right. Headers of IPv6 are `extra` longer.
fn is_valid(packet: &[u8], extra: usize) -> bool {
    let (ip_len, protocol, addresses, len_is_right) = if packet[0] >> 4 == 4 {
        let ip_len = usize::from(packet[0] & 15) * 4;
        if sum(&packet[..ip_len]) != 0xffff {
            return false;
        }
        let len = usize::from(packet[2]) << 8 | usize::from(packet[3]);
        (ip_len, packet[9], &packet[12..20], len == packet.len())
    } else {
        let protocol = packet[if extra > 0 { 40 } else { 6 }];
        let len = 40 + (usize::from(packet[4]) << 8 | usize::from(packet[5]));
        (40 + extra, protocol, &packet[8..40], len == packet.len())
    };
    let transport = &packet[ip_len..];
    let len = (transport.len() as u32).to_be_bytes();
    let all = [addresses, &len, &[0, protocol], transport].concat();
    len_is_right && sum(&all) == 0xffff
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Cut once, cut again, or cut to single packets, the packets are the same.
    #[test]
    fn pieces_are_what_the_reference_builds(
        spec in spec(),
        counts in vec((1_u16..9, 1_u16..5, any::<bool>()), 1..60),
    ) {
        let (ip, offload) = spec.whole();
        let packet = parsed(&ip, offload).unwrap();
        let (mut scratch, mut again, mut marked) = (vec![], vec![], vec![]);
        let (mut packets, mut bytes, mut first) = (vec![], 0, 0);
        let mut counts = counts.iter().cycle();
        while first < packet.packets {
            let (count, of_these, ce) = *counts.next().unwrap();
            let count = count.min(packet.packets - first);
            marked.extend((0..count).map(|_| ce));
            let cut = packet.cut(&ip, first, count, marked_class(&ip, ce), &mut scratch);
            prop_assert_eq!(cut.offload.segmentation.is_some(), count > 1);
            // As if it had passed a kernel and come out of the next port.
            let (piece, offload) = ([cut.headers, cut.payload].concat(), cut.offload);
            let piece_of = parsed(&piece, offload).unwrap();
            prop_assert_eq!(piece_of.packets, count);
            let mut inner = 0;
            while inner < count {
                let of_these = of_these.min(count - inner);
                let cut = piece_of.cut(&piece, inner, of_these, None, &mut again);
                packets.extend(packets_of(&cut));
                inner += of_these;
            }
            bytes += packet.ip_len(first, count);
            first += count;
        }
        let expected = spec.packets(|index| marked[usize::from(index)]);
        prop_assert_eq!(bytes, expected.iter().map(|packet| packet.len() as u64).sum::<u64>());
        prop_assert_eq!(&packets, &expected);
        let extra = if spec.is_v6 { spec.ip_extra * 8 } else { 0 };
        prop_assert!(packets.iter().all(|packet| is_valid(packet, extra)));
    }

    /// A packet with a complete checksum stays valid when it is marked, and so does its original.
    #[test]
    fn a_marked_packet_stays_valid(spec in spec()) {
        let packets = spec.packets(|_| false);
        for (ip, expected) in packets.iter().zip(spec.packets(|_| true)) {
            let packet = parsed(ip, Offload::default()).unwrap();
            let mut scratch = vec![];
            let cut = packet.cut(ip, 0, 1, marked_class(ip, true), &mut scratch);
            prop_assert_eq!(packets_of(&cut), vec![expected]);
            // A packet that has the mark already goes as it is.
            let is_as_it_was = ip == &packets_of(&cut)[0];
            prop_assert!(is_as_it_was || cut.headers.len() < 150, "the payload is not copied");
        }
    }

    /// Another code point changes the traffic class and IPv4's checksum, and nothing else.
    #[test]
    fn a_packet_of_another_class_stays_valid(spec in spec(), class in any::<u8>()) {
        for ip in spec.packets(|_| false) {
            let packet = parsed(&ip, Offload::default()).unwrap();
            let mut scratch = vec![];
            let washed = packets_of(&packet.cut(&ip, 0, 1, Some(class), &mut scratch)).remove(0);
            prop_assert_eq!(traffic_class(&washed), class);
            let extra = if spec.is_v6 { spec.ip_extra * 8 } else { 0 };
            prop_assert!(is_valid(&washed, extra));
            let packet = parsed(&washed, Offload::default()).unwrap();
            let own = Some(traffic_class(&ip));
            prop_assert_eq!(packets_of(&packet.cut(&washed, 0, 1, own, &mut scratch)), vec![ip]);
        }
    }

    /// Any damage to a super-packet.
    #[test]
    fn no_damage_leads_to_a_panic(
        spec in spec(),
        damage in vec((0_usize..160, any::<u8>()), 0..4),
        keep in prop_oneof![Just(usize::MAX), 0_usize..200],
        offload in offload(),
        is_own in any::<bool>(),
    ) {
        let (mut ip, own) = spec.whole();
        for (at, byte) in damage {
            if let Some(there) = ip.get_mut(at) {
                *there = byte;
            }
        }
        ip.truncate(keep);
        walk(&ip, if is_own { own } else { offload });
    }

    #[test]
    fn no_bytes_lead_to_a_panic(bytes in vec(any::<u8>(), 0..200), offload in offload(), v in 0..3_u8) {
        let mut bytes = bytes;
        if let Some(first) = bytes.first_mut() {
            *first = [*first, 0x45, 0x60][usize::from(v)];
        }
        walk(&bytes, offload);
    }
}

/// The traffic class of this packet with congestion experienced; `None` unless `ce`.
fn marked_class(ip: &[u8], ce: bool) -> Option<u8> {
    ce.then(|| traffic_class(ip) | 0b11)
}

fn offload() -> impl Strategy<Value = Offload> {
    let place = || prop_oneof![0_u16..100, any::<u16>()];
    let checksum = (place(), place()).prop_map(|(start, offset)| PartialChecksum { start, offset });
    let segmentation = (any::<bool>(), place(), any::<bool>())
        .prop_map(|(tcp, size, cwr_first)| Segmentation { tcp, size, cwr_first });
    (proptest::option::of(checksum), proptest::option::of(segmentation))
        .prop_map(|(checksum, segmentation)| Offload { checksum, segmentation })
}

/// Does everything that can be done to a packet, and checks that its lengths add up.
fn walk(ip: &[u8], offload: Offload) {
    let Ok(packet) = parsed(ip, offload) else { return };
    assert!(packet.packets >= 1 && packet.total as usize <= ip.len(), "{packet:?}");
    let mut scratch = vec![];
    for most in [1, 3, packet.packets] {
        let mut sum = 0;
        for first in (0..packet.packets).step_by(most.into()) {
            let count = most.min(packet.packets - first);
            let cut = packet.cut(ip, first, count, marked_class(ip, first % 2 == 0), &mut scratch);
            sum += packets_of(&cut).iter().map(|packet| packet.len() as u64).sum::<u64>();
        }
        assert_eq!(sum, packet.ip_len(0, packet.packets), "{packet:?}");
    }
}

/// A sound super-packet of three packets.
fn sound() -> Spec {
    Spec {
        is_v6: false,
        is_tcp: true,
        ip_extra: 0,
        tcp_extra: 3,
        tos: 2,
        id: 0xffff,
        sequence: u32::MAX,
        flags: ACK | PSH | FIN | CWR,
        cwr_first: true,
        ports: (40_000, 2000),
        payload: vec![7; 2500],
        segment: 1000,
    }
}

/// RFC 3168 section 6.1.2 and RFC 9293 section 3.1: a flag that counts once is in one packet only.
#[test]
fn flags_are_told_once() {
    let spec = sound();
    let (ip, offload) = spec.whole();
    let packet = parsed(&ip, offload).unwrap();
    let flags = |first, count| {
        let mut scratch = vec![];
        let cut = packet.cut(&ip, first, count, None, &mut scratch);
        (cut.headers[33], cut.offload.segmentation.map(|s| s.cwr_first))
    };
    assert_eq!(flags(0, 1), (ACK | CWR, None));
    assert_eq!(flags(0, 2), (ACK | CWR, Some(true)));
    assert_eq!(flags(1, 1), (ACK, None));
    assert_eq!(flags(1, 2), (ACK | PSH | FIN, Some(false)));
    assert_eq!(flags(2, 1), (ACK | PSH | FIN, None));
    let lens = [0, 1, 2].map(|first| packet.ip_len(first, 1));
    assert_eq!((lens, packet.ip_len(0, 3)), ([1052, 1052, 552], 2656));
}

/// AccECN counts with CWR in every packet; the kernel then does not say that only the first packet
/// has it.
#[test]
fn cwr_is_kept_where_it_is_not_the_first_packets_alone() {
    let (ip, offload) = Spec { cwr_first: false, ..sound() }.whole();
    let mut scratch = vec![];
    let packet = parsed(&ip, offload).unwrap();
    assert_eq!(packet.cut(&ip, 1, 1, None, &mut scratch).headers[33], ACK | CWR);
}

#[test]
fn what_is_wrong_is_malformed() {
    let (ip, offload) = sound().whole();
    assert!(parsed(&ip, offload).is_ok());
    let changed = |at: usize, to: &[u8]| {
        let mut ip = ip.clone();
        ip[at..at + to.len()].copy_from_slice(to);
        parsed(&ip, offload)
    };
    let size = |size| {
        let segmentation = offload.segmentation.map(|all| Segmentation { size, ..all });
        parsed(&ip, Offload { segmentation, ..offload })
    };
    let partial = |checksum| parsed(&ip, Offload { checksum, ..offload });
    for (what, result) in [
        ("a total length of 0", changed(2, &[0, 0])),
        ("a total length too short", changed(2, &[0, 60])),
        ("a total length too long", changed(2, &[0xff, 0xff])),
        ("a header length too long", changed(0, &[0x4f])),
        ("a fragment", changed(6, &[0x20, 0])),
        ("another protocol", changed(9, &[17])),
        ("a TCP header too short", changed(32, &[0x40])),
        ("cut off", parsed(&ip[..100], offload)),
        ("cut off in the header", parsed(&ip[..50], offload)),
        ("bytes behind the end", parsed(&[&ip[..], &[0]].concat(), offload)),
        ("segments of nothing", size(0)),
        ("segments longer than the payload", size(2501)),
        ("no checksum", partial(None)),
        ("another checksum", partial(Some(PartialChecksum { start: 20, offset: 6 }))),
        ("a checksum elsewhere", partial(Some(PartialChecksum { start: 24, offset: 16 }))),
        ("a checksum behind the end", partial(Some(PartialChecksum { start: 20, offset: 9999 }))),
    ] {
        assert_eq!(result, Err(Malformed), "{what}");
    }
    // A super-packet of one segment is a packet.
    assert_eq!(size(2500).map(|p| (p.packets, p.offload.segmentation)), Ok((1, None)));
}

/// The TCP header could begin at two places, each with a length that fits; only one of them is
/// right.
#[test]
fn a_lie_about_the_start_of_tcp_is_malformed() {
    let (mut ip, offload) = Spec { is_v6: true, ip_extra: 2, tcp_extra: 6, ..sound() }.whole();
    let at = |start| Some(PartialChecksum { start, offset: 16 });
    assert!(parsed(&ip, Offload { checksum: at(56), ..offload }).is_ok());
    // There are 36 bytes of header from 64 on, and 52 from 48 on.
    (ip[64 + 12], ip[48 + 12]) = (9 << 4, 13 << 4);
    for start in [48, 64] {
        assert_eq!(parsed(&ip, Offload { checksum: at(start), ..offload }), Err(Malformed));
    }
}

/// Ethernet pads short frames; the padding is no part of the packet.
#[test]
fn padding_is_left_behind() {
    let ip = Spec { payload: vec![1], segment: 1, ..sound() }.packets(|_| false).remove(0);
    let padded = [&ip[..], &[0; 6]].concat();
    let packet = parsed(&padded, Offload::default()).unwrap();
    let mut scratch = vec![];
    for ce in [false, true] {
        let cut = packet.cut(&padded, 0, 1, marked_class(&padded, ce), &mut scratch);
        assert_eq!(cut.headers.len() + cut.payload.len(), ip.len());
    }
}

/// Packets of other protocols than TCP and UDP are carried whole, and marked if need be.
#[test]
fn another_protocol_is_a_single_packet() {
    let mut ip = Spec { tcp_extra: 0, ..sound() }.packets(|_| false).remove(2);
    (ip[9], ip[10], ip[11]) = (1, 0, 0);
    let checksum = !sum(&ip[..20]);
    ip[10..12].copy_from_slice(&checksum.to_be_bytes());
    let packet = parsed(&ip, Offload::default()).unwrap();
    let mut scratch = vec![];
    let cut = packet.cut(&ip, 0, 1, marked_class(&ip, true), &mut scratch);
    let marked = packets_of(&cut).remove(0);
    assert_eq!((marked[1] & 3, sum(&marked[..20])), (3, 0xffff));
    assert_eq!(marked[20..], ip[20..]);
    let segmentation = Some(Segmentation { tcp: true, size: 100, cwr_first: false });
    assert_eq!(parsed(&ip, Offload { segmentation, ..Offload::default() }), Err(Malformed));
}

/// A packet that cannot be parsed is captured as it is.
#[test]
fn what_is_no_packet_is_handed_over_whole() {
    let (headers, payload) = (&[0x45, 0, 0, 99][..], &[1, 2, 3][..]);
    let cut = PacketSlices { link_header: &[], headers, payload, offload: Offload::default() };
    assert_eq!(packets_of(&cut), [[headers, payload].concat()]);
}

/// The longest packets whose length fits their headers, and packets that are one byte longer.
#[test]
fn what_is_longer_than_its_header_can_tell_is_malformed() {
    for is_v6 in [false, true] {
        let of = |payload: usize, segment| {
            let payload = (0..payload).map(|n| (n % 251) as u8).collect();
            Spec { is_v6, payload, segment, tcp_extra: 0, cwr_first: false, ..sound() }
        };
        let most = if is_v6 { 65_515 } else { 65_495 };
        let spec = of(most, 1448);
        let (ip, offload) = spec.whole();
        let packet = parsed(&ip, offload).unwrap();
        assert_eq!(packet.packets, 46);
        let mut scratch = vec![];
        let mut packets = packets_of(&packet.cut(&ip, 0, 40, None, &mut scratch));
        packets.extend(packets_of(&packet.cut(&ip, 40, 6, None, &mut scratch)));
        assert!(packets == spec.packets(|_| false), "v6: {is_v6}");
        // The largest number of packets.
        let (ip, offload) = of(most, 1).whole();
        assert_eq!(parsed(&ip, offload).map(|packet| usize::from(packet.packets)), Ok(most));
        let (ip, offload) = of(most + 1, 1448).whole();
        assert_eq!(parsed(&ip, offload), Err(Malformed));
    }
}

/// RFC 9260 section 6.8: SCTP's checksum is no Internet checksum.
#[test]
fn a_checksum_of_another_kind_is_not_completed() {
    let (mut ip, _) = Spec { tcp_extra: 0, ..sound() }.whole();
    ip[9] = 132;
    let checksum = Some(PartialChecksum { start: 20, offset: 8 });
    let offload = Offload { checksum, segmentation: None };
    let packets =
        packets_of(&PacketSlices { link_header: &[], headers: &ip, payload: &[], offload });
    assert_eq!(packets, [ip]);
}
