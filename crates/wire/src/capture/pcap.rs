//! The records of a pcap file.
//!
//! Specification: draft-ietf-opsawg-pcap; for the modified format, the patches of Kuznetzov to
//! libpcap as Wireshark reads them. Before version 2.4 the lengths of a record may be in another
//! order: sf-pcap.c of libpcap ("We interchanged the caplen and len fields at version 2.3").
//! Deviations, as in Wireshark: a record may be longer than the snap length and than the packet, and
//! a fraction of a second may be longer than a second.

use std::io::Read;

use units::{Span, Time};

use super::endian::Endian;
use super::window::{Stop, Window};
use super::{BufferedRecord, LARGEST_RECORD};
use crate::LinkType;

/// The properties of the records, from the header of the file.
#[derive(Debug)]
pub(super) struct Pcap {
    endian: Endian,
    /// The unit of the fraction of a second.
    tick: Span,
    /// The length in bytes of the header of a record.
    header_len: usize,
    lengths: Lengths,
    link_type: LinkType,
}

/// The order of the two lengths in a record.
#[derive(Clone, Copy, Debug)]
enum Lengths {
    /// The captured length comes first, then the original length: since version 2.4.
    CapturedFirst,
    /// The original length comes first: until version 2.2, and 543.0 of DG/UX.
    OriginalFirst,
    /// Some programs wrote one order, some the other (version 2.3). The captured length cannot
    /// exceed the original one.
    LesserIsCaptured,
}

impl Lengths {
    /// The order in this version; `None` if the version is not known.
    fn of_version(major: u16, minor: u16) -> Option<Self> {
        match (major, minor) {
            (2, ..3) | (543, 0) => Some(Self::OriginalFirst),
            (2, 3) => Some(Self::LesserIsCaptured),
            (2, _) => Some(Self::CapturedFirst),
            _ => None,
        }
    }

    /// The captured and the original length, from the two in the order of the file.
    fn sort(self, first: u32, second: u32) -> (u32, u32) {
        match self {
            Self::CapturedFirst => (first, second),
            Self::OriginalFirst => (second, first),
            Self::LesserIsCaptured => (first.min(second), first.max(second)),
        }
    }
}

impl Pcap {
    const HEADER: usize = 24;

    /// The variant with this magic number; `None` if the number is not one of a pcap.
    fn variant(magic: u32, endian: Endian) -> Option<Self> {
        const MICRO: Span = Span::from_micros(1);
        let (tick, header_len) = match magic {
            0xa1b2_c3d4 => (MICRO, 16),
            0xa1b2_3c4d => (Span::from_nanos(1), 16),
            // Kuznetzov's format: each record also has interface, protocol and kind of packet.
            0xa1b2_cd34 => (MICRO, 24),
            _ => return None,
        };
        let lengths = Lengths::CapturedFirst;
        Some(Self { endian, tick, header_len, lengths, link_type: LinkType::NULL })
    }

    /// The variant that the first four bytes announce; `None` if they are not those of a pcap.
    pub(super) fn recognise(magic: [u8; 4]) -> Option<Self> {
        Self::variant(u32::from_le_bytes(magic), Endian::Little)
            .or_else(|| Self::variant(u32::from_be_bytes(magic), Endian::Big))
    }

    /// Reads the rest of the file's header.
    pub(super) fn begin<R: Read>(mut self, window: &mut Window<R>) -> Result<Self, Stop> {
        let header = window.require(Self::HEADER)?;
        let [major, minor] = [4, 6].map(|at| self.endian.u16(header, at));
        let Some(lengths) = Lengths::of_version(major, minor) else {
            let message =
                format!("this is pcap of version {major}.{minor}; 2.0 to 2.4 can be read");
            return Err(Stop::Damage { offset: 4, message });
        };
        self.lengths = lengths;
        // Section 4: the bits above the link type are the length of a frame check sequence.
        self.link_type = LinkType(self.endian.u32(header, 20) as u16);
        window.take(Self::HEADER);
        Ok(self)
    }

    #[inline]
    pub(super) fn next<R: Read>(&self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        if window.fill(self.header_len)?.is_empty() {
            return Err(Stop::End);
        }
        let offset = window.offset();
        let header = &window.require(self.header_len)?[..self.header_len];
        let [secs, fraction, first, second] = [0, 4, 8, 12].map(|at| self.endian.u32(header, at));
        let (data_len, original_len) = self.lengths.sort(first, second);
        if data_len > LARGEST_RECORD {
            return Err(Stop::Damage { offset, message: too_long(data_len) });
        }
        if (secs, fraction, data_len, original_len) == (0, 0, 0, 0) {
            let message = "a record of zeros; the file is damaged".into();
            return Err(Stop::Damage { offset, message });
        }
        let block_len = self.header_len + data_len as usize;
        window.require(block_len)?;
        Ok(BufferedRecord {
            time: Some(Time::from_secs(secs.into()) + self.tick * u64::from(fraction)),
            interface: 0,
            link_type: self.link_type,
            original_len,
            data_at: self.header_len,
            data_len,
            block_len,
        })
    }
}

pub(super) fn too_long(data_len: u32) -> String {
    format!(
        "{data_len} bytes for one captured packet, where {LARGEST_RECORD} is the most; the file is \
         damaged"
    )
}
