//! Captures of other programs and cards than pcap, byte by byte, whole and broken.

mod support;

use support::foreign::{
    MAC_EPOCH, YEAR_2001, erf_record, etherpeek, file, netmetrix_record, snoop, snoop_record,
    tsh_record,
};
use support::{Bytes, Row, complaint, damaged, ipv4, read, rows, tcp};
use wire::{CAPTURE_START, CaptureReader, Segment, dissect_from_ip, is_capture};

/// The time of a record in nanoseconds, so many microseconds behind a second.
fn time(secs: u32, micros: u64) -> Option<u64> {
    Some(u64::from(secs) * 1_000_000_000 + micros * 1_000)
}

#[test]
fn snoop_files() {
    for (datalink, link_type) in [(0, 1), (4, 1), (2, 6), (8, 10)] {
        let mut file = snoop(2, datalink);
        snoop_record(&mut file, 1500, b"abc", 1);
        snoop_record(&mut file, 3, b"def", 0);
        let expected = [
            (1, time(YEAR_2001, 999_999), link_type, 1500, b"abc".to_vec()),
            (2, time(YEAR_2001, 999_999), link_type, 3, b"def".to_vec()),
        ];
        assert_eq!(rows(&file.bytes), expected);
        assert!(is_capture(&file.bytes[..8]));
        for end in 16 + 29..file.bytes.len() {
            let (rows, cut) = read(&file.bytes[..end]).unwrap();
            let is_between = end == 16 + 28;
            assert_eq!((rows.len(), cut), (1, (!is_between).then_some((1, 16 + 28))), "{end}");
        }
    }
}

#[test]
fn snoop_files_that_cannot_be_read() {
    assert!(complaint(&snoop(3, 4).bytes).contains("snoop of version 3; 2 can be read"));
    assert!(complaint(&snoop(2, 5).bytes).contains("datalink type 5; Ethernet"));
    assert!(complaint(b"snoop\0\0\0\0\0\0\x02").contains("ends within its header"));
    for (lengths, words) in [
        ([9, 9, 32], "a record of 32 bytes with 9 bytes"),
        ([9, 0, 0], "a record of 0 bytes"),
        ([9, 9, u32::MAX], "a record of 4294967295 bytes"),
        ([9, u32::MAX, 40], "4294967295 bytes for one captured packet"),
    ] {
        let mut file = snoop(2, 4);
        snoop_record(&mut file, 3, b"abcd", 0);
        let end = file.bytes.len();
        lengths.iter().fold(&mut file, |file, length| file.u32(*length)).raw(&[0; 100]);
        damaged(&file, 1, end, words);
    }
}

#[test]
fn netmetrix_files() {
    let mut file = file(|file| {
        file.u32(0x6476).u32(4).raw(&[0; 4088]);
    });
    netmetrix_record(&mut file, 60, b"abcde");
    netmetrix_record(&mut file, 4, b"fghi");
    let expected = [
        (1, time(YEAR_2001, 5), 1, 60, b"abcde".to_vec()),
        (2, time(YEAR_2001, 5), 1, 4, b"fghi".to_vec()),
    ];
    assert_eq!(rows(&file.bytes), expected);
    assert!(is_capture(&file.bytes[..4]));
    let end = file.bytes.len();
    file.raw(&[0; 32]);
    damaged(&file, 2, end, "without time and length");
    file.bytes[7] = 3;
    assert!(complaint(&file.bytes).contains("NetMetrix of version 3; 4 can be read"));
    assert!(complaint(&file.bytes[..4]).contains("ends within its header"));
    file.bytes[7] = 4;
    assert!(complaint(&file.bytes[..4000]).contains("ends within its header"));
    file.bytes[4096 + 24] = 0xff;
    damaged(&file, 0, 4096, "bytes for one captured packet");
}

#[test]
fn etherpeek_files_of_versions_5_and_6() {
    for version in [5, 6, 0x86] {
        let mut file = etherpeek(version, 0, 0);
        for (lengths, data) in [([3, 0], &b"abc"[..]), ([1500, 2], b"de")] {
            file.u16(lengths[0]).u16(lengths[1]).raw(&[0, 0]).u32(5_007).raw(&[0; 16]).raw(data);
        }
        let expected = [
            (1, time(YEAR_2001 + 5, 7_000), 1, 3, b"abc".to_vec()),
            (2, time(YEAR_2001 + 5, 7_000), 1, 1500, b"de".to_vec()),
        ];
        assert_eq!(rows(&file.bytes), expected, "{version}");
    }
}

#[test]
fn etherpeek_files_of_version_7() {
    let mut file = etherpeek(7, 0, 0);
    let micros = u64::from(MAC_EPOCH + YEAR_2001) * 1_000_000 + 7;
    for (lengths, data) in [([3, 0], &b"abc\0"[..]), ([1500, 2], b"de")] {
        file.u16(9).u16(lengths[0]).u16(lengths[1]).u16(0).u64(micros).raw(data);
    }
    let expected = [
        (1, time(YEAR_2001, 7), 1, 3, b"abc".to_vec()),
        (2, time(YEAR_2001, 7), 1, 1500, b"de".to_vec()),
    ];
    assert_eq!(rows(&file.bytes), expected);
    let (rows, cut) = read(&file.bytes[..file.bytes.len() - 1]).unwrap();
    assert_eq!((rows.len(), cut), (1, Some((1, 50 + 20))));
}

#[test]
fn etherpeek_files_of_other_media_are_named() {
    assert!(complaint(&etherpeek(7, 1, 0).bytes).contains("token ring capture of EtherPeek"));
    assert!(complaint(&etherpeek(7, 0, 1).bytes).contains("IEEE 802.11 capture of EtherPeek"));
}

/// Nearly an EtherPeek file.
#[test]
fn what_only_looks_like_etherpeek_is_none() {
    for (at, byte) in [(0, 4), (0, 8), (1, 1), (10, 0), (22, 1), (26, 1), (49, 1)] {
        let mut file = etherpeek(7, 0, 0);
        file.bytes[at] = byte;
        assert!(!is_capture(&file.bytes), "{at}");
        assert!(complaint(&file.bytes).contains("begins with the bytes"), "{at}");
    }
}

#[test]
fn erf_records_of_every_type() {
    let half = time(YEAR_2001, 500_000);
    for (kinds, before, counted, link_type) in [
        (&[1_u8, 10, 15, 19][..], 0, 0, 50),
        (&[5, 17], 4, 0, 50),
        (&[2, 11, 16, 20], 2, 0, 1),
        (&[3, 4], 4, 4, 100),
        (&[7, 9], 8, 4, 100),
        (&[22, 23], 0, 0, 101),
    ] {
        for kind in kinds {
            let (mut file, headers) = (Bytes::new(true), vec![0; before]);
            // A whole packet with padding, one that was cut off, and one behind two extension
            // headers.
            erf_record(&mut file, *kind, 1, 3 + counted, &[&headers[..], b"abc\0\0\0"].concat());
            erf_record(&mut file, *kind, 4, 1500, &[&headers[..], b"defghi"].concat());
            let extensions = [0x83, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];
            let rest = [&extensions[..], &headers, b"jk"].concat();
            erf_record(&mut file, kind | 0x80, 3, 2 + counted, &rest);
            let whole = u64::from(1500 - counted);
            let expected = [
                (1, half, link_type, 3, b"abc".to_vec()),
                (2, half, link_type, whole, b"defghi".to_vec()),
                (3, half, link_type, 2, b"jk".to_vec()),
            ];
            assert_eq!(rows(&file.bytes), expected, "{kind}");
            let mut capture = CaptureReader::new(&file.bytes[..]).unwrap();
            for interface in [1, 0, 3] {
                assert_eq!(capture.next().unwrap().unwrap().interface, interface);
            }
        }
    }
}

#[test]
fn erf_records_without_a_packet() {
    let mut file = Bytes::new(true);
    erf_record(&mut file, 48, 0, 0, &[0; 8]);
    // Infiniband, and what Endace calls provenance.
    erf_record(&mut file, 21, 4, 4, b"abcd");
    erf_record(&mut file, 48, 0, 0, b"");
    erf_record(&mut file, 27, 4, 8, b"abcdefgh");
    erf_record(&mut file, 2, 4, 5, b"\0\0abcde");
    let found: Vec<_> =
        rows(&file.bytes).into_iter().map(|row| (row.0, row.2, row.4.len())).collect();
    assert_eq!(found, [(1, 197, 20), (2, 197, 24), (3, 1, 5)]);
}

#[test]
fn damage_in_an_erf_file_has_a_place() {
    let mut file = Bytes::new(true);
    erf_record(&mut file, 2, 4, 5, b"\0\0abcde");
    erf_record(&mut file, 2, 4, 5, b"\0\0abcde");
    let end = file.bytes.len();
    // The beginning by which the format is recognised is over.
    for _ in 0..CAPTURE_START / end {
        let records = file.bytes[..end].to_vec();
        file.raw(&records);
    }
    let (end, records) = (file.bytes.len(), file.bytes.len() / 23);
    let mut short = file.bytes.clone();
    short.extend([0; 16]);
    let short = Bytes { big_endian: true, bytes: short };
    damaged(&short, records as u64, end, "a record of 0 bytes, the shortest has 16");
    erf_record(&mut file, 0x82, 4, 5, b"\0\0abcde");
    damaged(&file, records as u64, end, "a record of 23 bytes with 26 bytes of headers");
}

/// ERF has no magic number.
#[test]
fn what_only_looks_like_erf_is_none() {
    let record = |change: &dyn Fn(&mut [u8])| {
        let mut file = Bytes::new(true);
        erf_record(&mut file, 2, 4, 5, b"\0\0abcde");
        let first = file.bytes.len();
        erf_record(&mut file, 2, 4, 5, b"\0\0abcde");
        change(&mut file.bytes[first..]);
        file.bytes
    };
    assert!(is_capture(&record(&|_| ())));
    assert!(is_capture(&record(&|_| ())[..23]), "one whole record");
    assert!(!is_capture(&record(&|_| ())[..22]), "the beginning of one record");
    assert!(is_capture(&record(&|_| ())[..39]), "one record, and the header of another");
    assert!(!is_capture(&record(&|_| ())[..38]), "one record, and too little of another");
    for (at, byte) in [(8, 0), (8, 30), (8, 0x7f), (9, 0x40), (11, 15), (7, 0), (7, 0x7f)] {
        assert!(!is_capture(&record(&|second| second[at] = byte)), "{at}: {byte}");
    }
    assert!(!is_capture(&[0; CAPTURE_START]));
    assert!(complaint(&record(&|second| second[8] = 0)).contains("begins with the bytes"));
}

#[test]
fn tsh_files() {
    let mut file = Bytes::new(true);
    let packet = ipv4(6, &tcp(&[0; 100]));
    let mut with_options = packet.clone();
    with_options[0] = 0x46;
    tsh_record(&mut file, 1, &packet);
    tsh_record(&mut file, 2, &with_options);
    let time = time(YEAR_2001, 258);
    let expected: [Row; 2] = [
        (1, time, 101, 152, packet[..36].to_vec()),
        (2, time, 101, 152, with_options[..20].to_vec()),
    ];
    assert_eq!(rows(&file.bytes), expected);
    // The options of TCP are missing, but its data has its length.
    let mut capture = CaptureReader::new(&file.bytes[..]).unwrap();
    let record = capture.next().unwrap().unwrap();
    let (view, ip) = dissect_from_ip(record.link_type, record.data, record.original_len).unwrap();
    let segment = Segment::of(&view, ip).unwrap();
    assert_eq!((segment.data_len, segment.window, record.interface), (100, 256, 1));
    // What follows an IP header with options is not taken for ports.
    let record = capture.next().unwrap().unwrap();
    let (view, _) = dissect_from_ip(record.link_type, record.data, record.original_len).unwrap();
    assert_eq!((view.ports, view.ip_len, record.interface), (None, 152, 2));
}

/// TSH has no magic number either.
#[test]
fn what_only_looks_like_tsh_is_none() {
    let mut whole = Bytes::new(true);
    for _ in 0..3 {
        tsh_record(&mut whole, 1, &ipv4(6, &tcp(b"")));
    }
    assert!(is_capture(&whole.bytes));
    assert!(!is_capture(&whole.bytes[..87]), "fewer than two records");
    for (at, byte) in [(0, 0), (0, 0xff), (5, 0x10), (8, 0x44), (8, 0x65), (11, 19)] {
        let mut file = whole.bytes.clone();
        file[44 + at] = byte;
        assert!(!is_capture(&file), "{at}");
    }
    // Beyond the beginning it is damage.
    for _ in 0..CAPTURE_START / 44 {
        tsh_record(&mut whole, 1, &ipv4(6, &tcp(b"")));
    }
    let (end, records) = (whole.bytes.len(), whole.bytes.len() / 44);
    whole.raw(&[0; 44]);
    damaged(&whole, records as u64, end, "without an IPv4 header");
}

/// The formats without a magic number take nothing that has one, and no text.
#[test]
fn other_files_stay_what_they_are() {
    for magic in [&b"\x1f\x8b"[..], b"\x7fELF", b"PK\x03\x04", b"<html>"] {
        let mut file = Bytes::new(true);
        for _ in 0..3 {
            tsh_record(&mut file, 1, &ipv4(6, &tcp(b"")));
        }
        file.bytes[..magic.len()].copy_from_slice(magic);
        assert!(!is_capture(&file.bytes));
    }
    // Each line of this text fits a record of TSH.
    let fitting = "Mon 1\n05E".to_owned() + &"x".repeat(35);
    assert!(!is_capture(fitting.repeat(3).as_bytes()));
    let text = "time_s,bytes\n".repeat(5_000);
    assert!(!is_capture(text.as_bytes()));
    assert!(complaint(text.as_bytes()).contains("is a text"));
}

/// Whatever the length of the pieces in which a file comes, it reads the same.
#[test]
fn pieces_of_any_size_read_the_same() {
    struct Pieces<'a>(&'a [u8], usize);
    impl std::io::Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(buffer.len());
            self.0.read(&mut buffer[..count])
        }
    }
    let mut snoop = snoop(2, 4);
    snoop_record(&mut snoop, 3, b"abc", 1);
    let mut etherpeek = etherpeek(7, 0, 0);
    etherpeek.u16(9).u16(3).u16(0).u16(0).u64(u64::MAX).raw(b"abc\0");
    let (mut erf, mut tsh) = (Bytes::new(true), Bytes::new(true));
    for _ in 0..3_000 {
        erf_record(&mut erf, 2, 4, 5, b"\0\0abcde");
        tsh_record(&mut tsh, 1, &ipv4(6, &tcp(b"")));
    }
    for file in [snoop, etherpeek, erf, tsh] {
        for size in [1, 7, 4_096] {
            assert_eq!(read(Pieces(&file.bytes, size)).unwrap(), read(&file.bytes[..]).unwrap());
        }
    }
}
