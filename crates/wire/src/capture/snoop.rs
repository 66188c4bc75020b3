//! The records of a snoop file, as Solaris writes it.
//!
//! Specification: RFC 1761. All numbers are in network byte order.

use std::io::Read;

use units::{Span, Time};

use super::endian::Endian::Big;
use super::pcap::too_long;
use super::window::{Stop, Window};
use super::{BufferedRecord, LARGEST_RECORD};
use crate::LinkType;

const MAGIC: &[u8] = b"snoop\0\0\0";
/// The length in bytes of the header of a record.
const HEADER: u32 = 24;

/// A snoop file.
#[derive(Debug)]
pub(super) struct Snoop {
    link_type: LinkType,
}

impl Snoop {
    /// True if a file with this beginning is a snoop file.
    pub(super) fn recognise(start: &[u8]) -> bool {
        start.starts_with(MAGIC)
    }

    /// Reads the header of the file (section 3).
    pub(super) fn begin<R: Read>(window: &mut Window<R>) -> Result<Self, Stop> {
        const FILE_HEADER: usize = 16;
        let header = window.require(FILE_HEADER)?;
        let [version, datalink] = [8, 12].map(|at| Big.u32(header, at));
        if version != 2 {
            let message = format!("this is snoop of version {version}; 2 can be read");
            return Err(Stop::Damage { offset: 8, message });
        }
        let link_type = link_type(datalink).ok_or_else(|| Stop::Damage {
            offset: 12,
            message: format!(
                "this snoop file has packets of datalink type {datalink}; Ethernet (0 and 4), token \
                 ring (2) and FDDI (8) are known"
            ),
        })?;
        window.take(FILE_HEADER);
        Ok(Self { link_type })
    }

    /// The next packet (section 4).
    pub(super) fn next<R: Read>(&self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        let offset = window.offset();
        let header = window.record_header(HEADER as usize)?;
        let [original_len, data_len, block_len, _drops, secs, micros] =
            [0, 4, 8, 12, 16, 20].map(|at| Big.u32(header, at));
        if data_len > LARGEST_RECORD {
            return Err(Stop::Damage { offset, message: too_long(data_len) });
        }
        // There may be padding, but not without end.
        if !(HEADER + data_len..=HEADER + 2 * LARGEST_RECORD).contains(&block_len) {
            let message = format!(
                "a record of {block_len} bytes with {data_len} bytes of a packet; the file is damaged"
            );
            return Err(Stop::Damage { offset, message });
        }
        let block_len = block_len as usize;
        window.require(block_len)?;
        Ok(BufferedRecord {
            time: Some(Time::from_secs(secs.into()) + Span::from_micros(micros.into())),
            interface: 0,
            link_type: self.link_type,
            original_len,
            data_at: HEADER as usize,
            data_len,
            block_len,
        })
    }
}

/// The link type of a datalink type (section 4, "Datalink Type"); `None` if no header of that type
/// is known here.
fn link_type(datalink: u32) -> Option<LinkType> {
    Some(match datalink {
        // IEEE 802.3 and Ethernet: one header, whose type field may be a length.
        0 | 4 => LinkType::ETHERNET,
        2 => LinkType::TOKEN_RING,
        8 => LinkType::FDDI,
        _ => return None,
    })
}
