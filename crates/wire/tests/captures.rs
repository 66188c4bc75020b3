//! Captures of every kind, whole and broken.

mod support;

use std::io::{self, Read};

use support::{Bytes, KUZNETZOV, MICRO, NANO, Row, complaint, damaged, read, rows};
use wire::{CaptureError, CaptureReader, is_capture, unknown_format};

#[test]
fn pcap_of_either_byte_order_and_resolution() {
    for big_endian in [false, true] {
        for (magic, nanos) in [(MICRO, 1_000), (NANO, 1)] {
            let mut file = Bytes::new(big_endian);
            file.pcap(magic, 101).record(1, 2, 3, b"abc").record(
                4_000_000_000,
                999_999,
                1500,
                b"d",
            );
            let expected = [
                (1, Some(1_000_000_000 + 2 * nanos), 101, 3, b"abc".to_vec()),
                (2, Some(4_000_000_000_000_000_000 + 999_999 * nanos), 101, 1500, b"d".to_vec()),
            ];
            assert_eq!(rows(&file.bytes), expected);
            assert!(is_capture(&file.bytes) && is_capture(&file.bytes[..4]));
        }
    }
}

/// libpcap, sf-pcap.c: before version 2.3 the original length came first; of 2.3 there are files of
/// both kinds, and the captured length is the one that is not longer. DG/UX wrote version 543.0.
#[test]
fn pcap_of_old_versions_has_the_lengths_the_other_way_round() {
    let expected = [(1, Some(1_000_002_000), 1, 1500, b"abc".to_vec())];
    let whole = [(1, Some(1_000_002_000), 1, 3, b"abc".to_vec())];
    for big_endian in [false, true] {
        let file = |version, lengths: [u32; 2]| {
            let mut file = Bytes::new(big_endian);
            file.pcap_of_version(version, MICRO, 1).u32(1).u32(2);
            file.u32(lengths[0]).u32(lengths[1]).raw(b"abc");
            rows(&file.bytes)
        };
        for version in [(2, 0), (2, 1), (2, 2), (543, 0)] {
            assert_eq!(file(version, [1500, 3]), expected, "{version:?}");
            assert_eq!(file(version, [3, 3]), whole, "{version:?}");
        }
        for lengths in [[1500, 3], [3, 1500]] {
            assert_eq!(file((2, 3), lengths), expected, "{lengths:?}");
        }
        assert_eq!(file((2, 4), [3, 1500]), expected);
    }
}

#[test]
fn pcap_as_modified_by_kuznetzov() {
    for big_endian in [false, true] {
        let mut file = Bytes::new(big_endian);
        file.pcap(KUZNETZOV, 1).long_record(1, 2, b"abc").long_record(3, 4, b"");
        let expected = [
            (1, Some(1_000_002_000), 1, 3, b"abc".to_vec()),
            (2, Some(3_000_004_000), 1, 0, vec![]),
        ];
        assert_eq!(rows(&file.bytes), expected);
    }
}

#[test]
fn above_the_link_type_a_pcap_has_the_length_of_the_frame_check_sequence() {
    let mut file = Bytes::new(false);
    file.pcap(MICRO, 0x2400_0001).record(1, 0, 3, b"abc");
    assert_eq!(rows(&file.bytes)[0].2, 1);
}

#[test]
fn what_wild_captures_get_wrong_is_forgiven() {
    let mut file = Bytes::new(false);
    // A snap length of 0, more captured than there was, fractions beyond a second.
    file.u32(MICRO).u16(2).u16(4).u32(0).u32(0).u32(0).u32(1);
    file.record(u32::MAX, u32::MAX, 2, b"abcdef");
    file.bytes[16..20].fill(0xff);
    let nanos = u64::from(u32::MAX) * 1_000_001_000;
    assert_eq!(rows(&file.bytes), [(1, Some(nanos), 1, 6, b"abcdef".to_vec())]);
}

/// Every kind of packet block, with other blocks between them.
fn pcapng(big_endian: bool) -> Bytes {
    let mut file = Bytes::new(big_endian);
    let offset = if big_endian { (-10_i64).to_be_bytes() } else { (-10_i64).to_le_bytes() };
    file.section();
    file.interface(1, 0, &[]).interface(101, 96, &[(2, b"eth0"), (9, &[9])]);
    file.interface(276, 0, &[(9, &[0x80 | 10]), (14, &offset), (11, b"\0tcp")]);
    file.enhanced(0, 5_000_000, 1500, b"abc").block(4, b"names").block(0x4bad_cafe, &[7; 200_000]);
    file.enhanced(1, 5_000_000, 4, b"abcd").enhanced(2, 20 << 10 | 512, 5, b"abcde");
    file.obsolete(1, 7, 9, b"x").simple(2, b"yz").block(5, &[0; 16]);
    file
}

fn pcapng_rows(first: u64) -> Vec<Row> {
    vec![
        (first, Some(5_000_000_000), 1, 1500, b"abc".to_vec()),
        (first + 1, Some(5_000_000), 101, 4, b"abcd".to_vec()),
        (first + 2, Some(10_500_000_000), 276, 5, b"abcde".to_vec()),
        (first + 3, Some(7), 101, 9, b"x".to_vec()),
        (first + 4, None, 1, 2, b"yz".to_vec()),
    ]
}

#[test]
fn pcapng_of_either_byte_order() {
    assert_eq!(rows(&pcapng(false).bytes), pcapng_rows(1));
    assert_eq!(rows(&pcapng(true).bytes), pcapng_rows(1));
}

#[test]
fn pcapng_sections_follow_each_other_in_any_byte_order() {
    let sections = [pcapng(false).bytes, pcapng(true).bytes, pcapng(false).bytes].concat();
    let expected = [pcapng_rows(1), pcapng_rows(6), pcapng_rows(11)].concat();
    assert_eq!(rows(&sections), expected);
    // Each section has its own interfaces.
    let mut file = pcapng(false);
    file.section().enhanced(0, 0, 1, b"a");
    let complaint = complaint(&file.bytes);
    assert!(complaint.starts_with("record 6 at byte "), "{complaint}");
    assert!(complaint.contains("interface 0, which has not been described"), "{complaint}");
}

#[test]
fn simple_packets_are_cut_to_the_snap_length() {
    let mut file = Bytes::new(false);
    file.section().interface(1, 3, &[]).simple(1500, b"abc").simple(2, b"de");
    let expected = [(1, None, 1, 1500, b"abc".to_vec()), (2, None, 1, 2, b"de".to_vec())];
    assert_eq!(rows(&file.bytes), expected);
}

/// A stream that comes in pieces, as from a pipe.
struct Pieces<'a> {
    bytes: &'a [u8],
    size: usize,
    interrupted: bool,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = self.size.min(buffer.len());
        self.bytes.read(&mut buffer[..count])
    }
}

#[test]
fn pieces_of_any_size_read_the_same() {
    let mut large = Bytes::new(true);
    let packet = vec![1; 300_000];
    large.pcap(MICRO, 1).record(1, 1, 300_000, &packet).record(2, 2, 7, b"abcdefg");
    large.record(3, 3, 300_000, &packet);
    for file in [pcapng(false).bytes, pcapng(true).bytes, large.bytes] {
        let whole = rows(&file);
        for size in [1, 7, 4096, 131_071, 131_073] {
            let pieces = Pieces { bytes: &file, size, interrupted: false };
            assert_eq!(read(pieces).unwrap().0, whole, "{size}");
        }
    }
}

#[test]
fn what_a_file_is_called_does_not_depend_on_how_it_comes() {
    let file = [&[b'<'; 256][..], &[0xff; 256]].concat();
    let pieces = Pieces { bytes: &file, size: 1, interrupted: false };
    assert_eq!(read(pieces).unwrap_err().to_string(), complaint(&file));
}

#[test]
fn a_file_that_ends_within_a_record_gives_all_before() {
    let mut file = Bytes::new(false);
    file.pcap(MICRO, 1).record(1, 0, 3, b"abc").record(2, 0, 3, b"def");
    let (whole, begin) = (rows(&file.bytes), 24 + 19);
    for end in begin + 1..file.bytes.len() {
        let (rows, cut) = read(&file.bytes[..end]).unwrap();
        assert_eq!((rows.as_slice(), cut), (&whole[..1], Some((1, begin as u64))));
    }
    assert_eq!(read(&file.bytes[..begin]).unwrap(), (whole[..1].to_vec(), None));
}

#[test]
fn a_pcapng_may_end_anywhere() {
    let file = pcapng(true).bytes;
    let whole = rows(&file);
    let mut most = 0;
    for end in (28..file.len()).filter(|end| end % 1000 == 0 || !(400..200_000).contains(end)) {
        let (rows, cut) = read(&file[..end]).unwrap();
        assert_eq!(rows, whole[..rows.len()]);
        assert!(rows.len() >= most, "a longer file has no fewer records");
        most = rows.len();
        if let Some((records, offset)) = cut {
            assert_eq!(records, rows.len() as u64);
            assert!(offset < end as u64);
        }
    }
    assert_eq!(most, whole.len());
}

#[test]
fn files_that_are_no_captures_are_named() {
    for (file, words) in [
        (&b""[..], "is empty"),
        (&[0; 4096], "begins with zeros"),
        (b"\x1f\x8b\x08\0", "gzip -d"),
        (b"\x28\xb5\x2f\xfd\x24", "zstd -d"),
        (b"\xfd7zXZ\0\0", "xz -d"),
        (b"BZh91AY", "bzip2 -d"),
        (b"PK\x03\x04....", "unzip"),
        (b"iptrace 2.0", "editcap"),
        (b"<!DOCTYPE html><html>", "is an HTML page"),
        (b"\r\n  <html lang=\"en\">", "is an HTML page"),
        (b"time,bytes\n0.1,1500\n", "is a text"),
        ("z\u{e4}hler;gr\u{f6}\u{df}e".as_bytes(), "is a text"),
        (b"\xde\xad\xbe\xef", "begins with the bytes de ad be ef"),
        (b"\xd4\xc3\xb2", "begins with the bytes d4 c3 b2"),
        (b"\xd4\xc3\xb2\xa1\x02\0\x04\0", "ends within its header"),
        (b"\x0a\x0d\x0d\x0a\x1c\0\0\0", "ends within its header"),
        (b"\xd4\xc3\xb2\xa1\x03\0\x01\0................", "pcap of version 3.1; 2.0 to 2.4"),
        (b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x02\0\0\0", "pcapng of version 2.0; 1.0"),
        (b"\x0a\x0d\x0d\x0a\x1c\0\0\0\0\0\0\0\x01\0\0\0", "byte-order magic"),
    ] {
        let complaint = complaint(file);
        assert!(complaint.contains(words), "{complaint}");
        assert!(!complaint.contains('\n') && !complaint.ends_with('.'), "{complaint}");
    }
    assert!(!is_capture(b"") && !is_capture(b"time,bytes") && !is_capture(b"\x1f\x8b\x08\0"));
}

/// A caller that takes other files too asks for the format of a file, and writes its own remedy.
#[test]
fn files_of_other_formats_are_named() {
    let gzip = unknown_format(b"\x1f\x8b\x08\0").unwrap();
    assert_eq!(
        (gzip.what, gzip.remedy.unwrap().contains("gzip -d")),
        ("is compressed with gzip", true)
    );
    let program = unknown_format(b"\x7fELF\x02").unwrap();
    assert_eq!((program.what, program.remedy), ("is a program", None));
    assert!(complaint(b"\x7fELF\x02").ends_with(
        "is a program; a capture in pcap or pcapng format is needed, as `tcpdump -w FILE` writes it"
    ));
    for other in [&b""[..], b"\0\0\0\0", b"time_s,bytes\n", b"\xde\xad\xbe\xef"] {
        assert_eq!(unknown_format(other), None);
    }
}

#[test]
fn damage_has_a_place() {
    let begin = |big_endian| {
        let mut file = Bytes::new(big_endian);
        file.pcap(NANO, 1).record(1, 0, 1, b"a");
        file
    };
    let mut file = begin(true);
    file.u32(1).u32(0).u32(u32::MAX).u32(60);
    damaged(&file, 1, 41, "4294967295 bytes for one captured packet");
    let mut file = begin(true);
    file.u32(1).u32(0).u32((1 << 20) + 1).u32(60);
    damaged(&file, 1, 41, "1048577 bytes");
    let mut file = begin(false);
    file.raw(&[0; 1000]);
    damaged(&file, 1, 41, "zeros");
}

#[test]
fn damaged_blocks_have_a_place() {
    let begin = || {
        let mut file = Bytes::new(false);
        file.section().interface(1, 0, &[]).enhanced(0, 0, 1, b"a");
        file
    };
    let check = |spoil: &dyn Fn(&mut Bytes) -> &mut Bytes, words: &str| {
        let mut file = begin();
        let offset = file.bytes.len();
        spoil(&mut file);
        damaged(&file, 1, offset, words);
    };
    check(&|file| file.u32(6).u32(u32::MAX), "a block of 4294967295 bytes");
    check(&|file| file.u32(6).u32(8), "a block of 8 bytes; the shortest has 12");
    check(&|file| file.raw(&[0; 100]), "a block of 0 bytes");
    check(&|file| file.u32(99).u32(16).u32(0).u32(20), "says at its end that it has 20");
    check(&|file| file.u32(6).u32(16).u32(0).u32(16), "a packet block of 16 bytes");
    check(&|file| file.enhanced(1, 0, 1, b"a"), "interface 1, which has not been");
    check(&|file| file.simple(100, b"a"), "100 bytes of a packet in a block with room for 4");
    check(&|file| file.interface(1, 0, &[(9, b"")]), "empty time resolution");
    check(&|file| file.block(1, b"abcd"), "description of an interface is too short");
    check(&|file| file.block(1, b"abcdefgh\x09\0\x09\0abcd"), "option 9 of an interface");
    let longer: fn(&mut Bytes) -> &mut Bytes = |file| {
        let at = file.bytes.len() + 20;
        file.enhanced(0, 0, 1, b"abcd").bytes[at] = 200;
        file
    };
    check(&longer, "200 bytes of a packet in a block with room for");
}

#[test]
fn interfaces_without_end_are_damage() {
    let mut file = Bytes::new(false);
    file.section();
    for _ in 0..1 << 16 {
        file.interface(1, 0, &[]);
    }
    let offset = file.bytes.len();
    file.interface(1, 0, &[]);
    damaged(&file, 0, offset, "more than 65536 interfaces");
}

/// A disk that fails.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

#[test]
fn a_failing_disk_is_told_from_a_damaged_file() {
    let mut file = Bytes::new(false);
    file.pcap(MICRO, 1).record(1, 0, 3, b"abc");
    let mut capture = CaptureReader::new(file.bytes.as_slice().chain(Broken)).unwrap();
    assert!(capture.next().unwrap().is_some());
    let error = capture.next().unwrap_err();
    assert!(matches!(error, CaptureError::Io { offset: 43, .. }), "{error:?}");
    assert_eq!(error.to_string(), "cannot be read at byte 43: the disk is gone");
    assert!(capture.next().unwrap().is_none());
    let error = read(Broken).unwrap_err();
    assert!(matches!(error, CaptureError::Io { offset: 0, .. }), "{error:?}");
}

/// Nothing but zeros, for ever.
#[test]
fn zeros_without_end_are_refused_at_once() {
    assert!(read(io::repeat(0)).unwrap_err().to_string().contains("zeros"));
    let mut file = Bytes::new(false);
    file.pcap(MICRO, 1);
    assert!(read(file.bytes.as_slice().chain(io::repeat(0))).is_err());
    let mut file = Bytes::new(false);
    file.section();
    assert!(read(file.bytes.as_slice().chain(io::repeat(0))).is_err());
}
