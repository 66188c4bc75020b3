//! Captures and packets, byte by byte, so that the reader is tested against the formats and not
//! against our own writer.
#![allow(dead_code, reason = "each test uses some of it")]

pub(crate) mod foreign;

use std::io::Read;

use units::Time;
use wire::{CaptureError, CaptureReader, LinkType, PacketView};

/// The fields of a record.
pub(crate) type Row = (u64, Option<u64>, u16, u64, Vec<u8>);

/// The number of whole records before a capture is cut off, and the offset of the cut.
pub(crate) type Cut = Option<(u64, u64)>;

/// All records, and the place at which the capture was cut off.
pub(crate) fn read(source: impl Read) -> Result<(Vec<Row>, Cut), CaptureError> {
    let mut capture = CaptureReader::new(source)?;
    let mut rows = Vec::new();
    while let Some(record) = capture.next()? {
        let time = record.time.map(Time::as_nanos);
        let LinkType(link_type) = record.link_type;
        rows.push((record.number, time, link_type, record.original_len, record.data.to_vec()));
    }
    assert!(capture.next()?.is_none(), "the end is the end");
    Ok((rows, capture.truncation().map(|cut| (cut.records, cut.offset))))
}

pub(crate) fn rows(bytes: &[u8]) -> Vec<Row> {
    let (rows, cut) = read(bytes).unwrap();
    assert_eq!(cut, None);
    rows
}

/// The message for a file that cannot be read.
pub(crate) fn complaint(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

/// Checks that damage is reported with its record, place and size, after the records before it.
pub(crate) fn damaged(file: &Bytes, records: u64, offset: usize, words: &str) {
    let mut capture = CaptureReader::new(file.bytes.as_slice()).unwrap();
    for _ in 0..records {
        assert!(capture.next().unwrap().is_some());
    }
    let error = capture.next().unwrap_err();
    let expected = (Some(records + 1), offset as u64);
    assert!(
        matches!(&error, CaptureError::Input { record, offset, .. } if (*record, *offset) == expected),
        "{error:?}"
    );
    assert!(error.to_string().contains(words), "{error}");
    assert!(capture.next().unwrap().is_none(), "there is no going on");
    assert!(capture.truncation().is_none());
}

/// Bytes of user data on the wire.
pub(crate) fn payload_len(view: &PacketView) -> u64 {
    view.ip_len.saturating_sub(view.header_len.into())
}

/// A capture that grows. Numbers are written in the byte order that the test wants.
pub(crate) struct Bytes {
    pub(crate) big_endian: bool,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) const MICRO: u32 = 0xa1b2_c3d4;
pub(crate) const NANO: u32 = 0xa1b2_3c4d;
pub(crate) const KUZNETZOV: u32 = 0xa1b2_cd34;

impl Bytes {
    pub(crate) fn new(big_endian: bool) -> Self {
        Self { big_endian, bytes: Vec::new() }
    }

    pub(crate) fn u16(&mut self, number: u16) -> &mut Self {
        let bytes = if self.big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
        self.raw(&bytes)
    }

    pub(crate) fn u32(&mut self, number: u32) -> &mut Self {
        let bytes = if self.big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
        self.raw(&bytes)
    }

    pub(crate) fn u64(&mut self, number: u64) -> &mut Self {
        let bytes = if self.big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
        self.raw(&bytes)
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    fn padded(&mut self, bytes: &[u8]) -> &mut Self {
        self.raw(bytes).raw(&[0; 3][..bytes.len().next_multiple_of(4) - bytes.len()])
    }

    /// The header of a pcap file.
    pub(crate) fn pcap(&mut self, magic: u32, link_type: u32) -> &mut Self {
        self.pcap_of_version((2, 4), magic, link_type)
    }

    /// The header of a pcap file of any version.
    pub(crate) fn pcap_of_version(
        &mut self,
        (major, minor): (u16, u16),
        magic: u32,
        link_type: u32,
    ) -> &mut Self {
        self.u32(magic).u16(major).u16(minor).u32(0).u32(0).u32(262_144).u32(link_type)
    }

    /// A record of a pcap file.
    pub(crate) fn record(
        &mut self,
        secs: u32,
        fraction: u32,
        original: u32,
        data: &[u8],
    ) -> &mut Self {
        self.u32(secs).u32(fraction).u32(data.len() as u32).u32(original).raw(data)
    }

    /// A record of Kuznetzov's variant: also interface, protocol, kind of packet, padding.
    pub(crate) fn long_record(&mut self, secs: u32, micros: u32, data: &[u8]) -> &mut Self {
        let length = data.len() as u32;
        self.u32(secs).u32(micros).u32(length).u32(length);
        self.u32(1).u16(0x0800).raw(&[0, 0]).raw(data)
    }

    /// A block of a pcapng file; `body` is padded to four bytes.
    pub(crate) fn block(&mut self, kind: u32, body: &[u8]) -> &mut Self {
        let length = 12 + body.len().next_multiple_of(4) as u32;
        self.u32(kind).u32(length).padded(body).u32(length)
    }

    fn body(&self, fill: impl FnOnce(&mut Self)) -> Vec<u8> {
        let mut body = Self::new(self.big_endian);
        fill(&mut body);
        body.bytes
    }

    pub(crate) fn section(&mut self) -> &mut Self {
        let body = self.body(|body| {
            body.u32(0x1a2b_3c4d).u16(1).u16(0).u64(u64::MAX);
        });
        self.block(0x0a0d_0d0a, &body)
    }

    /// Options are a code and a value.
    pub(crate) fn interface(
        &mut self,
        link_type: u16,
        snap_len: u32,
        options: &[(u16, &[u8])],
    ) -> &mut Self {
        let body = self.body(|body| {
            body.u16(link_type).u16(0).u32(snap_len);
            for (code, value) in options {
                body.u16(*code).u16(value.len() as u16).padded(value);
            }
            if !options.is_empty() {
                body.u32(0);
            }
        });
        self.block(1, &body)
    }

    pub(crate) fn enhanced(
        &mut self,
        interface: u32,
        ticks: u64,
        original: u32,
        data: &[u8],
    ) -> &mut Self {
        let body = self.body(|body| {
            body.u32(interface).u32((ticks >> 32) as u32).u32(ticks as u32);
            body.u32(data.len() as u32).u32(original).padded(data);
            // epb_flags: outbound; then a comment.
            body.u16(2).u16(4).u32(2).u16(1).u16(5).padded(b"hello").u32(0);
        });
        self.block(6, &body)
    }

    pub(crate) fn obsolete(
        &mut self,
        interface: u16,
        ticks: u64,
        original: u32,
        data: &[u8],
    ) -> &mut Self {
        let body = self.body(|body| {
            body.u16(interface).u16(7).u32((ticks >> 32) as u32).u32(ticks as u32);
            body.u32(data.len() as u32).u32(original).padded(data);
        });
        self.block(2, &body)
    }

    pub(crate) fn simple(&mut self, original: u32, data: &[u8]) -> &mut Self {
        let body = self.body(|body| {
            body.u32(original).raw(data);
        });
        self.block(3, &body)
    }
}

/// An Ethernet frame with this EtherType.
pub(crate) fn ethernet(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    frame.extend(ether_type.to_be_bytes());
    frame.extend(payload);
    frame
}

/// An IPv4 packet from 192.0.2.1 to 198.51.100.2 with a header checksum, DSCP 46 and ECT(0).
pub(crate) fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let [high, low] = (20 + payload.len() as u16).to_be_bytes();
    let mut packet = vec![0x45, 46 << 2 | 2, high, low, 0, 1, 0x40, 0, 64, protocol, 0, 0];
    packet.extend([192, 0, 2, 1, 198, 51, 100, 2]);
    let sum: u32 = packet.chunks(2).map(|two| u32::from(two[0]) << 8 | u32::from(two[1])).sum();
    let [high, low] = (!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes();
    (packet[10], packet[11]) = (high, low);
    packet.extend(payload);
    packet
}

/// An IPv6 packet from 2001:db8::1 to 2001:db8::2 with DSCP 10 and CE.
pub(crate) fn ipv6(next_header: u8, payload: &[u8]) -> Vec<u8> {
    let class = 10 << 2 | 3;
    let [high, low] = (payload.len() as u16).to_be_bytes();
    let mut packet = vec![0x60 | class >> 4, class << 4, 0, 0, high, low, next_header, 64];
    for last in [1, 2] {
        packet.extend([0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    }
    packet.extend(payload);
    packet
}

/// A TCP segment from port 40000 to port 443 with time stamps, so 32 bytes of header.
pub(crate) fn tcp(payload: &[u8]) -> Vec<u8> {
    let mut segment =
        vec![0x9c, 0x40, 1, 187, 0, 0, 0, 1, 0, 0, 0, 1, 0x80, 0x10, 1, 0, 0, 0, 0, 0];
    segment.extend([1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 1]);
    segment.extend(payload);
    segment
}

/// A UDP datagram from port 5353 to port 53.
pub(crate) fn udp(payload: &[u8]) -> Vec<u8> {
    let [high, low] = (8 + payload.len() as u16).to_be_bytes();
    [&[0x14, 0xe9, 0, 53, high, low, 0, 0], payload].concat()
}
