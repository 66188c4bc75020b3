use super::*;

/// A block: its type, and the bytes between its two lengths.
type Block<'a> = (u32, &'a [u8]);

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// The blocks of a file, with all that section 3.1 requires checked.
fn blocks(mut file: &[u8]) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    while !file.is_empty() {
        let len = word(file, 4) as usize;
        assert_eq!(len % 4, 0);
        assert_eq!(word(file, len - 4) as usize, len);
        blocks.push((word(file, 0), &file[8..len - 4]));
        file = &file[len..];
    }
    blocks
}

/// The options up to the one that ends them, which is the last thing in a block.
fn options(mut bytes: &[u8]) -> Vec<(u16, &[u8])> {
    let mut options = Vec::new();
    loop {
        let code = u16::from_le_bytes([bytes[0], bytes[1]]);
        let len = usize::from(u16::from_le_bytes([bytes[2], bytes[3]]));
        let padded = len.next_multiple_of(4);
        assert!(bytes[4 + len..4 + padded].iter().all(|byte| *byte == 0));
        if code == 0 {
            assert_eq!(bytes.len(), 4);
            return options;
        }
        options.push((code, &bytes[4..4 + len]));
        bytes = &bytes[4 + padded..];
    }
}

fn written(snap: u32, frames: &[&[u8]]) -> Vec<u8> {
    let mut writer = PcapngWriter::new(Vec::new(), "unbloat 1", "A test").unwrap();
    let interface = Interface { name: "uplink.forward", description: "near", snap };
    assert_eq!(writer.interface(&interface).unwrap(), 0);
    let time = Time::from_nanos((7 << 32) + 5);
    for frame in frames {
        writer.packet(0, time, PacketDirection::Outbound, frame).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn a_section_and_an_interface() {
    let file = written(96, &[]);
    let blocks = blocks(&file);
    assert_eq!(blocks.iter().map(|block| block.0).collect::<Vec<_>>(), [0x0a0d_0d0a, 1]);
    let section = blocks[0].1;
    assert_eq!(section[..4], [0x4d, 0x3c, 0x2b, 0x1a]);
    assert_eq!(section[4..16], [1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    assert_eq!(options(&section[16..]), [(1, &b"A test"[..]), (4, b"unbloat 1")]);
    let interface = blocks[1].1;
    assert_eq!(interface[..8], [1, 0, 0, 0, 96, 0, 0, 0]);
    let expected: [(u16, &[u8]); 3] = [(2, b"uplink.forward"), (3, b"near"), (9, &[9])];
    assert_eq!(options(&interface[8..]), expected);
}

#[test]
fn packets_of_all_paddings() {
    let frames: Vec<Vec<u8>> = (0..9).map(|len| vec![0xee; len]).collect();
    let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    let file = written(0, &frames);
    let blocks = blocks(&file);
    assert_eq!(blocks.len(), 2 + frames.len());
    for ((kind, body), frame) in blocks[2..].iter().zip(frames) {
        let len = frame.len() as u32;
        assert_eq!(*kind, 6);
        let head: Vec<_> = (0..5).map(|index| word(body, 4 * index)).collect();
        assert_eq!(head, [0, 7, 5, len, len]);
        assert_eq!(&body[20..20 + frame.len()], frame);
        let padded = 20 + frame.len().next_multiple_of(4);
        assert!(body[20 + frame.len()..padded].iter().all(|byte| *byte == 0));
        assert_eq!(options(&body[padded..]), [(2, &[2, 0, 0, 0][..])]);
    }
}

#[test]
fn no_more_than_the_interface_keeps() {
    let file = written(6, &[&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[1, 2]]);
    let blocks = blocks(&file);
    let lengths = |body| (word(body, 12), word(body, 16));
    assert_eq!(lengths(blocks[2].1), (6, 9));
    assert_eq!(blocks[2].1[20..28], [1, 2, 3, 4, 5, 6, 0, 0]);
    assert_eq!(lengths(blocks[3].1), (2, 2));
}

#[test]
fn names_of_addresses() {
    let mut writer = PcapngWriter::new(Vec::new(), "", "").unwrap();
    let names = [(Ipv4Addr::new(10, 0, 0, 1), "home"), (Ipv4Addr::new(10, 0, 0, 2), "isp")];
    writer.names(&names).unwrap();
    let file = writer.finish().unwrap();
    let (kind, body) = blocks(&file)[1];
    assert_eq!(kind, 4);
    let expected: [(u16, &[u8]); 2] = [(1, b"\x0a\0\0\x01home\0"), (1, b"\x0a\0\0\x02isp\0")];
    assert_eq!(options(body), expected);
}

#[test]
fn an_interface_that_is_not_there() {
    let mut writer = PcapngWriter::new(Vec::new(), "", "").unwrap();
    let wrong = writer.packet(0, Time::ZERO, PacketDirection::Inbound, &[]).unwrap_err();
    assert_eq!(wrong.kind(), io::ErrorKind::InvalidInput);
}

/// A comment is a scenario's title, which may be of any length.
#[test]
fn texts_too_long_for_an_option() {
    let long = "ü".repeat(40_000);
    let file = PcapngWriter::new(Vec::new(), &long, &long).unwrap().finish().unwrap();
    let blocks = blocks(&file);
    for (_, text) in options(&blocks[0].1[16..]) {
        assert_eq!(str::from_utf8(text).unwrap(), &long[..65_534]);
    }
}

#[test]
fn a_full_disk_is_told() {
    #[derive(Debug)]
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = PcapngWriter::new(Full, "", "").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn we_read_what_we_write() {
    let frames: [&[u8]; 3] = [&[1; 60], &[2; 1514], &[3; 61]];
    let file = written(100, &frames);
    let mut reader = crate::CaptureReader::new(file.as_slice()).unwrap();
    for (number, frame) in (1..).zip(frames) {
        let record = reader.next().unwrap().unwrap();
        assert_eq!(record.number, number);
        assert_eq!(record.time, Some(Time::from_nanos((7 << 32) + 5)));
        assert_eq!(record.original_len, frame.len() as u64);
        assert_eq!(record.data, &frame[..frame.len().min(100)]);
    }
    assert_eq!(reader.next().unwrap(), None);
    assert!(reader.truncation().is_none());
}
