//! The records of a NetMetrix file, as Metrix's (later HP's) monitor on SunOS wrote it.
//!
//! Specification: no document of the maker is public. `netm.c` of tcptrace describes the format:
//! numbers in network byte order, a key and a version, Ethernet frames from byte 4096 on, each
//! behind eight numbers, and filled up to a multiple of four bytes.
//!
//! Deviations: version 3 is not read. Its records are shorter, and no file of it was available to
//! check that description.

use std::io::Read;

use units::{Span, Time};

use super::endian::Endian::Big;
use super::pcap::too_long;
use super::window::{Stop, Window};
use super::{BufferedRecord, LARGEST_RECORD};
use crate::LinkType;

const KEY: &[u8] = &[0, 0, 0x64, 0x76];
/// The offset of the first record in bytes.
const RECORDS: u64 = 4096;
/// The length in bytes of the header of a record.
const HEADER: usize = 32;

/// A NetMetrix file.
#[derive(Debug)]
pub(super) struct NetMetrix;

impl NetMetrix {
    /// True if a file with this beginning is a NetMetrix file.
    pub(super) fn recognise(start: &[u8]) -> bool {
        start.starts_with(KEY)
    }

    /// Reads the header of the file, of which only the version counts.
    pub(super) fn begin<R: Read>(window: &mut Window<R>) -> Result<Self, Stop> {
        let version = Big.u32(window.require(8)?, 4);
        if version != 4 {
            let message = format!("this is NetMetrix of version {version}; 4 can be read");
            return Err(Stop::Damage { offset: 4, message });
        }
        window.skip(RECORDS)?;
        Ok(Self)
    }

    /// The next packet.
    pub(super) fn next<R: Read>(&self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        let offset = window.offset();
        let header = window.record_header(HEADER)?;
        let [secs, micros, original_len, data_len] = [4, 8, 20, 24].map(|at| Big.u32(header, at));
        if data_len > LARGEST_RECORD {
            return Err(Stop::Damage { offset, message: too_long(data_len) });
        }
        if (secs, original_len) == (0, 0) {
            let message = "a record without time and length; the file is damaged".into();
            return Err(Stop::Damage { offset, message });
        }
        let block_len = HEADER + data_len.next_multiple_of(4) as usize;
        window.require(block_len)?;
        Ok(BufferedRecord {
            time: Some(Time::from_secs(secs.into()) + Span::from_micros(micros.into())),
            interface: 0,
            link_type: LinkType::ETHERNET,
            original_len,
            data_at: HEADER,
            data_len,
            block_len,
        })
    }
}
