//! Untrusted captures and packets.

use std::io::{self, Read};

use wire::{CaptureReader, LinkType, Record, dissect};

/// Reads a file that claims to be a pcap: its magic number is set right.
pub fn pcap(bytes: &[u8]) {
    const MAGICS: [[u8; 4]; 6] = [
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0x4d, 0x3c, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x34, 0xcd, 0xb2, 0xa1],
        [0xa1, 0xb2, 0xcd, 0x34],
    ];
    capture(bytes);
    let mut claimed = bytes.to_vec();
    let Some(magic) = claimed.first_chunk_mut::<4>() else { return };
    *magic = MAGICS[usize::from(magic[0]) % MAGICS.len()];
    capture(&claimed);
}

/// Reads a file that claims to be a pcapng: it begins with a section.
pub fn pcapng(bytes: &[u8]) {
    const SECTION: &[u8] = b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0\
        \xff\xff\xff\xff\xff\xff\xff\xff\x1c\0\0\0";
    capture(bytes);
    capture(&[SECTION, bytes].concat());
}

/// Reads a file that claims to have a format other than pcap and pcapng: the first byte selects one, and a
/// right beginning of it comes before the other bytes.
pub fn foreign_capture(bytes: &[u8]) {
    /// What is enough to recognise a format by its records.
    const ENOUGH: usize = wire::CAPTURE_START;
    const SECONDS: [u8; 4] = [0x3b, 0x9a, 0xca, 0];
    capture(bytes);
    let Some((first, rest)) = bytes.split_first() else { return };
    let etherpeek = |version| [&[version][..], &[0; 9], &[0xb0, 0, 0, 0], &[0; 36]].concat();
    let beginning = match first % 6 {
        0 => b"snoop\0\0\0\0\0\0\x02\0\0\0\x04".to_vec(),
        1 => [&[0, 0, 0x64, 0x76, 0, 0, 0, 4][..], &[0; 4088]].concat(),
        2 => etherpeek(6),
        3 => etherpeek(7),
        // Two records without data, and one that fills the rest.
        4 => {
            let mut record = [0, 0, 0, 0, 0, 0xca, 0x9a, 0x3b, 2, 4, 0, 16, 0, 0, 0, 0];
            let two = record.repeat(2);
            record[8] = 48;
            record[10..12].copy_from_slice(&(ENOUGH as u16).to_be_bytes());
            [&two[..], &record, &vec![0; ENOUGH - record.len()]].concat()
        }
        _ => {
            let header = [0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
            [&SECONDS[..], &[0; 4], &header, &[0; 16]].concat().repeat(ENOUGH / 44 + 1)
        }
    };
    capture(&[&beginning, rest].concat());
}

/// Reads a link type, a length, and a captured packet.
pub fn packet(bytes: &[u8]) {
    let Some((&[high, low, a, b, c, d], data)) = bytes.split_first_chunk::<6>() else { return };
    let link_type = LinkType(u16::from_be_bytes([high, low]));
    let original_len = u64::from(u32::from_be_bytes([a, b, c, d]));
    check_packet(link_type, data, original_len);
}

/// Checks that the result does not depend on the pieces in which the file comes, and has no more
/// records than the file can hold.
fn capture(bytes: &[u8]) {
    let whole = records_as_text(bytes);
    for size in [1, 1 + bytes.len() % 61] {
        let pieces = records_as_text(Pieces { bytes, size });
        assert!(pieces == whole, "in pieces of {size}: {pieces:?}, at once: {whole:?}");
    }
    if let Ok(connections) = captured::Connections::read(bytes, || true) {
        crate::segments::check(&connections, whole.len() as u64, u64::MAX);
    }
    // A record takes at least the 16 bytes that introduce it.
    assert!(whole.len() <= 2 + bytes.len() / 16, "{} records", whole.len());
}

/// The records or the error of a capture, as text.
fn records_as_text(source: impl Read) -> Vec<String> {
    let mut capture = match CaptureReader::new(source) {
        Ok(capture) => capture,
        Err(error) => return vec![printable(&error.to_string())],
    };
    let mut lines = Vec::new();
    loop {
        match capture.next() {
            Ok(Some(record)) => {
                let Record { number, link_type, data, original_len, .. } = record;
                assert_eq!(number, lines.len() as u64 + 1);
                assert!(original_len >= data.len() as u64, "{record:?}");
                check_packet(link_type, data, original_len);
                lines.push(format!("{record:?}"));
            }
            Ok(None) => break,
            Err(error) => lines.push(printable(&error.to_string())),
        }
    }
    lines.extend(capture.truncation().map(|truncation| format!("{truncation:?}")));
    lines
}

/// The message; panics if a terminal cannot show it.
fn printable(message: &str) -> String {
    let control = message.chars().find(|c| c.is_control());
    assert!(control.is_none() && !message.is_empty(), "{message:?}");
    message.into()
}

/// Checks any packet, however little of it is captured: lengths are consistent, and fields read
/// from a part are those of the whole.
fn check_packet(link_type: LinkType, data: &[u8], original_len: u64) {
    let original_len = original_len.max(data.len() as u64);
    let Ok(view) = dissect(link_type, data, original_len) else { return };
    assert!(u64::from(view.header_len) <= view.ip_len, "{view:?}");
    assert!(view.ip_len <= wire::LARGEST_PACKET, "{view:?}");
    assert!(view.ecn < 4 && view.dscp < 64, "{view:?}");
    for end in [data.len() / 2, data.len().saturating_sub(1), 64.min(data.len())] {
        let Ok(part) = dissect(link_type, &data[..end], original_len) else { continue };
        assert_eq!((part.source, part.destination), (view.source, view.destination));
        assert!(part.ports.is_none() || part.ports == view.ports, "{part:?} of {view:?}");
        assert!(part.header_len <= view.header_len, "{part:?} of {view:?}");
    }
}

/// A stream that delivers pieces of one size.
struct Pieces<'a> {
    bytes: &'a [u8],
    size: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.size.min(buffer.len());
        self.bytes.read(&mut buffer[..count])
    }
}
