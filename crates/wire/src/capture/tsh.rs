//! The records of a TSH file ("time sequenced headers") of NLANR's archive of traces.
//!
//! Specification: <http://pma.nlanr.net/Traces/tsh.format.html>; Net::Traces::TSH on CPAN. A record
//! has 44 bytes in network byte order: seconds, the interface, three bytes of microseconds, the IP
//! header without options, and the first 16 bytes of the TCP header.

use std::io::Read;

use units::{Span, Time};

use super::BufferedRecord;
use super::endian::Endian::Big;
use super::window::{Stop, Window};
use crate::LinkType;

const RECORD: usize = 44;
/// The offset of the IP header.
const IP: usize = 8;
const IP_HEADER: u32 = 20;

/// A TSH file.
#[derive(Debug)]
pub(super) struct Tsh;

impl Tsh {
    /// True if a file with this beginning is a TSH file. It has no magic number, but the fields of
    /// its records can be checked.
    pub(super) fn recognise(start: &[u8]) -> bool {
        let (records, _) = start.as_chunks::<RECORD>();
        let are_in_order = records.windows(2).all(|pair| {
            let [one, two] = [0, 1].map(|at| Big.u32(&pair[at], 0));
            // The records of several interfaces may change places.
            (one.saturating_sub(1)..=one.saturating_add(86_400)).contains(&two)
        });
        records.len() > 1 && are_in_order && records.iter().all(is_plausible)
    }

    /// The next packet. As the header of the IP packet has lost its options, what follows it is
    /// where a reader expects it only if there were none.
    pub(super) fn next<R: Read>(&self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        let offset = window.offset();
        let record = window.record_header(RECORD)?;
        if record[IP] >> 4 != 4 {
            let message = "a record without an IPv4 header; the file is damaged".into();
            return Err(Stop::Damage { offset, message });
        }
        let has_options = u32::from(record[IP] & 0xf) * 4 > IP_HEADER;
        let time =
            Time::from_secs(Big.u32(record, 0).into()) + Span::from_micros(micros(record).into());
        Ok(BufferedRecord {
            time: Some(time),
            interface: record[4].into(),
            link_type: LinkType::RAW,
            original_len: Big.u16(record, IP + 2).into(),
            data_at: IP,
            data_len: if has_options { IP_HEADER } else { (RECORD - IP) as u32 },
            block_len: RECORD,
        })
    }
}

/// True if these bytes may be a record: some time since 1990, and an IPv4 header.
fn is_plausible(record: &[u8; RECORD]) -> bool {
    const FIRST: u32 = 20 * 365 * 86_400;
    let header_len = u32::from(record[IP] & 0xf) * 4;
    Big.u32(record, 0) >= FIRST
        && micros(record) < 1_000_000
        && record[IP] >> 4 == 4
        && header_len >= IP_HEADER
        && u32::from(Big.u16(record, IP + 2)) >= header_len
}

fn micros(record: &[u8]) -> u32 {
    Big.u32(record, 4) & 0x00ff_ffff
}
