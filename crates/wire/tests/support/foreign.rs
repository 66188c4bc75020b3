//! The parts of captures in other formats than pcap and pcapng.

use super::Bytes;

/// A time in seconds since 1970, in September 2001.
pub(crate) const YEAR_2001: u32 = 1_000_000_000;
/// The seconds from 1904 to 1970.
pub(crate) const MAC_EPOCH: u32 = 2_082_844_800;

/// A file with numbers in network byte order.
pub(crate) fn file(fill: impl FnOnce(&mut Bytes)) -> Bytes {
    let mut file = Bytes::new(true);
    fill(&mut file);
    file
}

/// The header of a snoop file.
pub(crate) fn snoop(version: u32, datalink: u32) -> Bytes {
    file(|file| {
        file.raw(b"snoop\0\0\0").u32(version).u32(datalink);
    })
}

/// A record of a snoop file: lengths, dropped packets, time, data, padding.
pub(crate) fn snoop_record(file: &mut Bytes, original_len: u32, data: &[u8], padding: usize) {
    let length = data.len() as u32;
    file.u32(original_len).u32(length).u32(24 + length + padding as u32).u32(7);
    file.u32(YEAR_2001).u32(999_999).raw(data).raw(&vec![0; padding]);
}

/// A record of a NetMetrix file.
pub(crate) fn netmetrix_record(file: &mut Bytes, original_len: u32, data: &[u8]) {
    let length = data.len() as u32;
    file.u32(0).u32(YEAR_2001).u32(5).u32(0).u32(32 + length.next_multiple_of(4));
    file.u32(original_len).u32(length).u32(0).raw(data);
    file.raw(&[0; 3][..length.next_multiple_of(4) as usize - data.len()]);
}

/// The header of an EtherPeek file: version, medium and its kind.
pub(crate) fn etherpeek(version: u8, medium: u32, kind: u32) -> Bytes {
    file(|file| {
        file.raw(&[version, 0]).u32(0).u32(2).u32(MAC_EPOCH + YEAR_2001).u32(0).u32(0);
        file.u32(medium).u32(kind).u32(0).u32(10_000_000).raw(&[0; 12]);
    })
}

/// A record of an ERF file: type, flags and the length on the wire; extension headers, padding and
/// what stands before the packet are part of `rest`.
pub(crate) fn erf_record(file: &mut Bytes, kind: u8, flags: u8, wire_len: u16, rest: &[u8]) {
    let length = 16 + rest.len() as u16;
    file.raw(&0x8000_0000_u32.to_le_bytes()).raw(&YEAR_2001.to_le_bytes());
    file.raw(&[kind, flags]).u16(length).u16(0).u16(wire_len).raw(rest);
}

/// A record of a TSH file.
pub(crate) fn tsh_record(file: &mut Bytes, interface: u8, packet: &[u8]) {
    file.u32(YEAR_2001).raw(&[interface, 0, 1, 2]).raw(&packet[..36]);
}
