use proptest::prelude::*;

use super::*;

fn packet(version: u8) -> Vec<u8> {
    let mut ip = vec![0; 2000];
    ip[0] = version << 4 | 5;
    // A TCP header of 32 bytes after an IP header of either version.
    ip[20 + 12] = 0x80;
    ip[40 + 12] = 0x80;
    ip
}

fn partial(start: u16, offset: u16) -> Option<PartialChecksum> {
    Some(PartialChecksum { start, offset })
}

#[test]
fn what_is_written_is_understood() {
    let tcp = Segmentation { tcp: true, size: 1448, cwr_first: false };
    let ecn = Segmentation { cwr_first: true, ..tcp };
    let udp = Segmentation { tcp: false, size: 1200, cwr_first: false };
    let cases = [
        (4, Offload::default()),
        (6, Offload::default()),
        (4, Offload { checksum: partial(20, 16), segmentation: None }),
        (4, Offload { checksum: partial(20, 16), segmentation: Some(tcp) }),
        (6, Offload { checksum: partial(40, 16), segmentation: Some(ecn) }),
        (4, Offload { checksum: partial(20, 6), segmentation: Some(udp) }),
        (6, Offload { checksum: partial(40, 6), segmentation: Some(udp) }),
    ];
    for (version, offload) in cases {
        for link_header in [0, 14] {
            let header = offload.header(link_header, &packet(version));
            assert_eq!(Offload::parse(&header, link_header, &packet(version)), Some(offload));
        }
    }
}

#[test]
fn the_header_is_that_of_linux() {
    let tcp = Segmentation { tcp: true, size: 1448, cwr_first: true };
    let offload = Offload { checksum: partial(20, 16), segmentation: Some(tcp) };
    let header = offload.header(14, &packet(4));
    // Flags and type; then header length, segment size, and the start and position of the checksum.
    assert_eq!(header[..2], [1, 0x81]);
    let numbers: Vec<_> =
        header[2..].chunks(2).map(|two| u16::from_ne_bytes([two[0], two[1]])).collect();
    assert_eq!(numbers, [14 + 20 + 32, 1448, 14 + 20, 16]);
}

#[test]
fn contradictions_are_refused() {
    let header = |flags: u8, gso: u8, numbers: [u16; 4]| {
        let mut header = vec![flags, gso];
        header.extend(numbers.iter().flat_map(|number| number.to_ne_bytes()));
        header
    };
    let refused = |header: &[u8], version| Offload::parse(header, 0, &packet(version)).is_none();
    assert!(!refused(&header(1, 1, [52, 1448, 20, 16]), 4), "sound");
    assert!(refused(&header(1, 1, [52, 1448, 20, 16]), 6), "TCP over IPv4 in an IPv6 packet");
    assert!(refused(&header(1, 3, [52, 1448, 20, 6]), 4), "fragments of UDP");
    assert!(refused(&header(1, 0x80, [0, 0, 20, 16]), 4), "ECN of nothing");
    assert!(refused(&header(1, 0, [0, 0, 1999, 16]), 4), "a sum behind the end");
    assert!(refused(&header(1, 0, [0, 0, 65535, 65535]), 4), "a sum far behind the end");
    assert!(refused(&header(1, 0, [0, 0, 12, 0]), 4), "a sum of the IP header");
    assert!(refused(&[0; 9], 4), "too short");
}

proptest! {
    #[test]
    fn nothing_is_believed(
        header in prop::collection::vec(any::<u8>(), 0..12),
        ip in prop::collection::vec(any::<u8>(), 0..100),
        link_header in prop::sample::select(vec![0_u16, 14]),
    ) {
        if let Some(offload) = Offload::parse(&header, link_header, &ip) {
            if let Some(checksum) = offload.checksum {
                let end = usize::from(checksum.start) + usize::from(checksum.offset) + 2;
                prop_assert!(end <= ip.len());
            }
            offload.header(link_header, &ip);
        }
    }
}
