//! The records of an ERF file, as Endace's DAG cards and others write it.
//!
//! Specification: Endace, "Extensible Record Format types", EDM11-01, version 21; for the types of
//! older cards, version 8; <https://wiki.wireshark.org/ERF>. The time is in little-endian, all else
//! in network byte order.
//!
//! Deviations: of an ATM capture, a record is read as the first cell of a packet behind an LLC
//! header (RFC 2684 section 5); a later cell then counts as another protocol.

use std::io::Read;

use super::BufferedRecord;
use super::clock::Clock;
use super::endian::Endian::{Big, Little};
use super::window::{Stop, Window};
use crate::LinkType;

/// The length in bytes of the header that all records have.
const HEADER: usize = 16;
/// The length in bytes of an extension header.
const EXTENSION: usize = 8;
/// The type of a record that fills space.
const PAD: u8 = 48;

/// An ERF file.
#[derive(Debug)]
pub(super) struct Erf {
    clock: Clock,
}

/// What a record of a type has between the header and the packet.
struct Layout {
    link_type: LinkType,
    /// The length in bytes of what is no part of the packet, and is not counted in its length.
    uncounted: usize,
    /// The length in bytes of an ATM header, which is counted.
    counted: usize,
}

impl Erf {
    /// The reader of a file; there is no header. A second has 2^32 ticks.
    pub(super) fn begin() -> Self {
        Self { clock: Clock::new(0x80 | 32, 0) }
    }

    /// True if `start` is the beginning of an ERF file; if `is_whole`, it is the file. ERF has no
    /// magic number, but its records form a chain: each is of a known type and has the length of the
    /// way to the next one, and their times do not jump.
    pub(super) fn recognise(start: &[u8], is_whole: bool) -> bool {
        /// The most seconds from one record to the next one.
        const LONGEST_PAUSE: u32 = 365 * 86_400;
        /// The first year of DAG cards, since 1970.
        const FIRST: u32 = 25 * 365 * 86_400;
        let (mut rest, mut records, mut latest) = (start, 0, None);
        while let Some(header) = rest.first_chunk::<HEADER>() {
            let (kind, length, secs) =
                (header[8] & 0x7f, Big.u16(header, 10).into(), Little.u32(header, 4));
            if length < HEADER {
                return false;
            }
            if kind != PAD {
                // Records of several interfaces may change places, but not by more than a second.
                let latest = latest.replace(secs).unwrap_or(secs);
                let is_in_order = (latest.saturating_sub(1)..=latest.saturating_add(LONGEST_PAUSE))
                    .contains(&secs);
                let is_reserved = header[9] & 0xc0 != 0;
                if !matches!(kind, 1..=29) || is_reserved || secs < FIRST || !is_in_order {
                    return false;
                }
                records += 1;
            }
            let Some(next) = rest.get(length..) else { return records > 1 };
            rest = next;
        }
        records > 1 || records == 1 && rest.is_empty() && is_whole
    }

    /// The next packet. Records without one are skipped.
    pub(super) fn next<R: Read>(&self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        loop {
            let offset = window.offset();
            let header = window.record_header(HEADER)?;
            let block_len = usize::from(Big.u16(header, 10));
            let kind = header[8] & 0x7f;
            if block_len < HEADER {
                let message = format!(
                    "a record of {block_len} bytes, the shortest has {HEADER}; the file is damaged"
                );
                return Err(Stop::Damage { offset, message });
            }
            let block = &window.require(block_len)?[..block_len];
            if kind != PAD {
                return self
                    .packet(kind, block)
                    .map_err(|message| Stop::Damage { offset, message });
            }
            window.take(block_len);
        }
    }

    /// The packet of a record.
    fn packet(&self, kind: u8, block: &[u8]) -> Result<BufferedRecord, String> {
        let ticks = u64::from(Little.u32(block, 4)) << 32 | u64::from(Little.u32(block, 0));
        let wire_len = usize::from(Big.u16(block, 14));
        let (data_at, layout) = match layout(kind) {
            Some(layout) => (extensions_end(block) + layout.uncounted + layout.counted, layout),
            None => (0, Layout { link_type: LinkType::ERF, uncounted: 0, counted: 0 }),
        };
        let room = block.len().checked_sub(data_at).ok_or_else(|| {
            format!(
                "a record of {} bytes with {data_at} bytes of headers; the file is damaged",
                block.len()
            )
        })?;
        let original_len = wire_len.saturating_sub(layout.counted);
        // A record is filled up to a fixed length, or to a multiple of eight bytes.
        let data_len = if data_at == 0 { room } else { room.min(original_len) };
        Ok(BufferedRecord {
            time: Some(self.clock.time(ticks)),
            interface: (block[9] & 0b11).into(),
            link_type: layout.link_type,
            original_len: original_len as u32,
            data_at,
            data_len: data_len as u32,
            block_len: block.len(),
        })
    }
}

/// The layout of a type of records; `None` if these have no packets that are read here.
fn layout(kind: u8) -> Option<Layout> {
    let (link_type, uncounted, counted) = match kind {
        // HDLC; with a colour, with a hash, of a card with filters.
        1 | 10 | 15 | 19 => (LinkType::PPP_HDLC, 0, 0),
        // HDLC of one channel of several, whose number takes four bytes.
        5 | 17 => (LinkType::PPP_HDLC, 4, 0),
        // Ethernet, behind two bytes that align it; with a colour, with a hash, filtered.
        2 | 11 | 16 | 20 => (LinkType::ETHERNET, 2, 0),
        // The first cell of ATM, and a whole packet of AAL5; the header has no checksum.
        3 | 4 => (LinkType::ATM_LLC, 0, 4),
        7 | 9 => (LinkType::ATM_LLC, 4, 4),
        22 | 23 => (LinkType::RAW, 0, 0),
        _ => return None,
    };
    Some(Layout { link_type, uncounted, counted })
}

/// The offset behind the extension headers, the first byte of each of which says whether another
/// one follows; the end may lie beyond the record.
fn extensions_end(block: &[u8]) -> usize {
    const MORE: u8 = 0x80;
    let (mut end, mut kind) = (HEADER, block[8]);
    while kind & MORE != 0 {
        kind = block.get(end).copied().unwrap_or_default();
        end += EXTENSION;
    }
    end
}
