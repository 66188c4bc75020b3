//! The records of an EtherPeek file of version 5, 6 or 7, before it had tags (`.pkt`).
//!
//! Specification: the header of the file, `PeekFile.h` of Savvius's OmniEngine SDK; the records, as
//! `etherpeek.c` of tcptrace and `peekclassic.c` of Wireshark describe them. All numbers are in
//! network byte order, and the epoch is that of Mac OS, the beginning of 1904.
//!
//! Deviations: only Ethernet is read, not token ring and IEEE 802.11. No file of these was
//! available.

use std::io::Read;

use units::{Span, Time};

use super::BufferedRecord;
use super::endian::Endian::Big;
use super::window::{Stop, Window};
use crate::LinkType;

/// The length in bytes of the header of the file.
const FILE_HEADER: usize = 50;
/// The seconds from the epoch of Mac OS to 1970: 66 years, of which 17 have a leap day.
const MAC_EPOCH: u32 = (66 * 365 + 17) * 86_400;

/// An EtherPeek file.
#[derive(Debug)]
pub(super) enum EtherPeek {
    /// Version 5 or 6, whose records count milliseconds from this time.
    Relative(Time),
    /// Version 7, whose records count microseconds from the epoch of Mac OS.
    Absolute,
}

impl EtherPeek {
    /// True if a file with this beginning is an EtherPeek file. It has no magic number, but a
    /// version, three reserved numbers that are zero, and a date after the Mac's first one.
    pub(super) fn recognise(start: &[u8]) -> bool {
        const FIRST_MAC: u32 = MAC_EPOCH + 14 * 365 * 86_400;
        let Some(header) = start.first_chunk::<FILE_HEADER>() else { return false };
        let [date, medium, medium_kind] = [10, 22, 26].map(|at| Big.u32(header, at));
        matches!(version(header), 5..=7)
            && header[1] == 0
            && date >= FIRST_MAC
            && medium <= 1
            && medium_kind <= 2
            && header[38..] == [0; 12]
    }

    /// Reads the header of the file.
    pub(super) fn begin<R: Read>(window: &mut Window<R>) -> Result<Self, Stop> {
        let header = &window.require(FILE_HEADER)?[..FILE_HEADER];
        let [date, medium, medium_kind] = [10, 22, 26].map(|at| Big.u32(header, at));
        if (medium, medium_kind) != (0, 0) {
            let medium = if medium_kind == 0 { "token ring" } else { "IEEE 802.11" };
            let message =
                format!("this is a {medium} capture of EtherPeek; those of Ethernet can be read");
            return Err(Stop::Damage { offset: 22, message });
        }
        let this = match version(header) {
            7 => Self::Absolute,
            _ => Self::Relative(Time::from_secs(date.saturating_sub(MAC_EPOCH).into())),
        };
        window.take(FILE_HEADER);
        Ok(this)
    }

    /// The next packet.
    pub(super) fn next<R: Read>(&self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        let (data_at, lengths_at) = match self {
            Self::Relative(_) => (26, 0),
            Self::Absolute => (16, 2),
        };
        let header = window.record_header(data_at)?;
        let [original_len, slice_len] =
            [lengths_at, lengths_at + 2].map(|at| u32::from(Big.u16(header, at)));
        // A packet that was not sliced is whole.
        let data_len = if slice_len == 0 { original_len } else { slice_len };
        let (time, padded_len) = match self {
            Self::Relative(start) => {
                (*start + Span::from_millis(Big.u32(header, 6).into()), data_len)
            }
            Self::Absolute => {
                let micros = u64::from(Big.u32(header, 8)) << 32 | u64::from(Big.u32(header, 12));
                let epoch = Span::from_secs(MAC_EPOCH.into()).as_nanos() / 1_000;
                let since_1970 = Span::from_micros(micros.saturating_sub(epoch));
                (Time::ZERO + since_1970, data_len.next_multiple_of(2))
            }
        };
        let block_len = data_at + padded_len as usize;
        window.require(block_len)?;
        Ok(BufferedRecord {
            time: Some(time),
            interface: 0,
            link_type: LinkType::ETHERNET,
            original_len,
            data_at,
            data_len,
            block_len,
        })
    }
}

/// The version of a file. EtherHelp, which only captured, set the highest bit.
fn version(header: &[u8]) -> u8 {
    header[0] & 0x7f
}
