use super::*;

const ETHERNET_HEADER: Ethernet =
    Ethernet { source: MacAddress::local(1), destination: MacAddress::local(2) };
const ROUTE: Ipv4 = Ipv4 {
    source: Ipv4Addr::new(10, 0, 0, 1),
    destination: Ipv4Addr::new(10, 0, 0, 2),
    ttl: 64,
    id: 1,
    traffic_class: 0,
};
const ETHERNET_BYTES: &str = "02 00 00 00 00 02 02 00 00 00 00 01 08 00 ";

/// The bytes that `text` shows in hexadecimal, and this many zeros.
fn bytes(text: &str, zeros: usize) -> Vec<u8> {
    let mut bytes: Vec<_> =
        text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
    bytes.resize(bytes.len() + zeros, 0);
    bytes
}

fn frame(ip: Ipv4, transport: Transport<'_>, payload: u16) -> Vec<u8> {
    Frame::default().build(&ETHERNET_HEADER, &ip, &transport, payload).to_vec()
}

/// The header that textbooks use as the example of a checksum: b861.
#[test]
fn a_known_ip_header() {
    let (source, destination) = (Ipv4Addr::new(192, 168, 0, 1), Ipv4Addr::new(192, 168, 0, 199));
    let ip = Ipv4 { source, destination, id: 0, ..ROUTE };
    let frame = frame(ip, Transport::Udp { source: 1, destination: 2 }, 0x73 - 28);
    let expected = "45 00 00 73 00 00 40 00 40 11 b8 61 c0 a8 00 01 c0 a8 00 c7";
    assert_eq!(frame[14..34], bytes(expected, 0));
}

// The bytes below were put together by a separate script, not by this code.

#[test]
fn a_syn_as_linux_sends_it() {
    let syn = TcpHeader {
        source: 32768,
        destination: 9,
        seq: 0x0102_0304,
        flags: 0xc2, // SYN, ECE, CWR
        window: 64240,
        options: TcpOptions {
            mss: Some(1460),
            sack_permitted: true,
            timestamps: Some((1, 0)),
            window_scale: Some(7),
            sack: &[],
        },
        ..TcpHeader::default()
    };
    let expected = ETHERNET_BYTES.to_owned()
        + "45 00 00 3c 00 01 40 00 40 06 26 b9 0a 00 00 01 0a 00 00 02 \
           80 00 00 09 01 02 03 04 00 00 00 00 a0 c2 fa f0 b4 3c 00 00 \
           02 04 05 b4 04 02 08 0a 00 00 00 01 00 00 00 00 01 03 03 07";
    assert_eq!(frame(ROUTE, Transport::Tcp(syn), 0), bytes(&expected, 0));
}

#[test]
fn selective_acknowledgements() {
    let sack = TcpHeader {
        source: 32768,
        destination: 9,
        seq: 0x0102_0305,
        ack: 0xffff_fff0,
        flags: 0x10,
        window: 501,
        options: TcpOptions {
            timestamps: Some((0xabc, 0xabd)),
            sack: &[(100, 200), (0xffff_ff00, 4)],
            ..TcpOptions::default()
        },
    };
    let expected = ETHERNET_BYTES.to_owned()
        + "45 02 00 48 ab cd 40 00 3d 06 7d de 0a 00 00 01 0a 00 00 02 \
           80 00 00 09 01 02 03 05 ff ff ff f0 d0 10 01 f5 70 f3 00 00 \
           01 01 08 0a 00 00 0a bc 00 00 0a bd \
           01 01 05 12 00 00 00 64 00 00 00 c8 ff ff ff 00 00 00 00 04";
    let ip = Ipv4 { ttl: 61, id: 0xabcd, traffic_class: 0b10, ..ROUTE };
    assert_eq!(frame(ip, Transport::Tcp(sack), 0), bytes(&expected, 0));
}

#[test]
fn a_datagram_of_odd_length() {
    let expected = ETHERNET_BYTES.to_owned()
        + "45 03 00 21 00 02 40 00 40 11 26 c5 0a 00 00 01 0a 00 00 02 \
           80 01 00 09 00 0d 6b c7";
    let ip = Ipv4 { id: 2, traffic_class: 0b11, ..ROUTE };
    let udp = Transport::Udp { source: 32769, destination: 9 };
    assert_eq!(frame(ip, udp, 5), bytes(&expected, 5));
}

#[test]
fn an_echo() {
    let expected = ETHERNET_BYTES.to_owned()
        + "45 00 00 54 00 03 40 00 40 01 26 a4 0a 00 00 01 0a 00 00 02 \
           08 00 e5 c4 12 34 00 07";
    let echo = Transport::Echo { is_reply: false, id: 0x1234, sequence: 7 };
    assert_eq!(frame(Ipv4 { id: 3, ..ROUTE }, echo, 56), bytes(&expected, 56));
}

/// For every combination of options, the header's own length says where they end, and each packet
/// is as long as it claims.
#[test]
fn every_combination_of_options() {
    let blocks = [(1, 2), (3, 4), (5, 6), (7, 8), (9, 10)];
    let mut frame = Frame::default();
    for choice in 0..16 {
        let has = |bit: u32| choice & bit != 0;
        for sack in 0..=blocks.len() {
            let options = TcpOptions {
                mss: has(1).then_some(1460),
                sack_permitted: has(2),
                timestamps: has(4).then_some((1, 2)),
                window_scale: has(8).then_some(3),
                sack: &blocks[..sack],
            };
            let header = TcpHeader { options, ..TcpHeader::default() };
            let built = frame.build(&ETHERNET_HEADER, &ROUTE, &Transport::Tcp(header), 10);
            let len = usize::from(built[14 + 20 + 12] >> 4) * 4;
            assert!((20..=60).contains(&len));
            assert_eq!(built.len(), 14 + 20 + len + 10);
            assert_eq!(usize::from(u16::from_be_bytes([built[16], built[17]])), built.len() - 14);
            let kinds = kinds(&built[54..34 + len]);
            assert_eq!(kinds.contains(&2), has(1));
            assert_eq!(kinds.contains(&4), has(2));
            assert_eq!(kinds.contains(&8), has(4));
            assert_eq!(kinds.contains(&3), has(8));
            assert_eq!(kinds.contains(&5), sack > 0 && choice & !4 == 0);
        }
    }
}

/// The kinds of all options but NOP, in order.
fn kinds(mut options: &[u8]) -> Vec<u8> {
    let mut kinds = Vec::new();
    while let [kind, rest @ ..] = options {
        if *kind == 1 {
            options = rest;
            continue;
        }
        kinds.push(*kind);
        options = &options[usize::from(rest[0])..];
    }
    kinds
}

/// Bytes of the last frame do not show in the next one.
#[test]
fn memory_is_clean_when_it_is_used_again() {
    let sack = [(u32::MAX, u32::MAX); 3];
    let options =
        TcpOptions { timestamps: Some((u32::MAX, u32::MAX)), sack: &sack, ..TcpOptions::default() };
    let long = Transport::Tcp(TcpHeader { options, ..TcpHeader::default() });
    let short = Transport::Echo { is_reply: true, id: 1, sequence: 1 };
    let mut used = Frame::default();
    used.build(&ETHERNET_HEADER, &ROUTE, &long, 100);
    let again = used.build(&ETHERNET_HEADER, &ROUTE, &short, 100);
    assert_eq!(again, frame(ROUTE, short, 100));
}

/// RFC 768: a datagram whose sum is all ones has the checksum 0xffff, since 0 means that it has
/// none.
#[test]
fn a_datagram_always_has_a_checksum() {
    let checksum = |source| {
        let frame = frame(ROUTE, Transport::Udp { source, destination: 0 }, 0);
        u16::from_be_bytes([frame[40], frame[41]])
    };
    let checksums: Vec<_> = (0..=u16::MAX).map(checksum).collect();
    assert!(!checksums.contains(&0));
    assert!(checksums.contains(&0xffff));
}

#[test]
fn the_largest_packet_and_one_beyond() {
    let udp = Transport::Udp { source: 1, destination: 2 };
    let len = |payload| {
        let frame = frame(ROUTE, udp, payload);
        (frame.len(), u16::from_be_bytes([frame[16], frame[17]]))
    };
    assert_eq!(len(65535 - 28), (14 + 65535, 65535));
    assert_eq!(len(65535), (14 + 28 + 65535, 0));
}
