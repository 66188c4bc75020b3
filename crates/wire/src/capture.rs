//! Reads captures record by record, as a stream: pcap and pcapng, and formats of other programs and
//! cards.
//!
//! Specification: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng; for the others, in their files.
//!
//! Only the current record is kept, so a capture may be larger than memory and may come through a
//! pipe. The writer is not trusted: no length is believed before its bytes have been read.

mod clock;
mod endian;
mod erf;
mod error;
mod etherpeek;
mod foreign;
mod format;
mod netmetrix;
mod pcap;
mod pcapng;
mod snoop;
mod tsh;
mod unknown_format;
mod window;

use std::io::Read;

pub use error::{CaptureError, Truncation};
pub use foreign::CAPTURE_START;
use format::Format;
pub use format::is_capture;
use units::Time;
pub use unknown_format::{UnknownFormat, unknown_format};
use window::{Stop, Window};

use crate::LinkType;

/// The longest record in bytes that is accepted: twice the largest super-packet that Linux builds
/// (`GSO_MAX_SIZE`, 512 KiB), four times the longest snap length that libpcap takes
/// (`MAXIMUM_SNAPLEN`, 256 KiB). A longer record means a damaged file.
const LARGEST_RECORD: u32 = 1 << 20;

/// A captured packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The number of the record in the capture, counted from 1 as Wireshark counts.
    pub number: u64,
    /// The time of capture, since 1970; `None` if the capture does not have one, as in a pcapng
    /// Simple Packet Block.
    pub time: Option<Time>,
    /// The number of the interface at which the packet was captured: pcapng describes each; ERF and TSH
    /// have a number; 0 in other formats.
    pub interface: u32,
    /// The type of the header with which `data` begins.
    pub link_type: LinkType,
    /// The length of the packet on the wire in bytes, link header included; at least that of
    /// `data`.
    pub original_len: u64,
    /// The bytes that were captured.
    pub data: &'a [u8],
}

/// A capture in any format that is known here, read from a stream: pcap and pcapng of either byte
/// order, snoop, ERF, EtherPeek, NetMetrix, TSH.
///
/// ```
/// # fn main() -> Result<(), wire::CaptureError> {
/// # let file: &[u8] = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0";
/// let mut capture = wire::CaptureReader::new(file)?;
/// while let Some(record) = capture.next()? {
///     println!("{}: {} bytes", record.number, record.original_len);
/// }
/// if let Some(truncation) = capture.truncation() {
///     eprintln!("cut off at byte {}", truncation.offset);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CaptureReader<R> {
    window: Window<R>,
    format: Format,
    /// The number of records read.
    records: u64,
    is_done: bool,
    truncation: Option<Truncation>,
}

impl<R: Read> CaptureReader<R> {
    /// Reads the beginning of a capture. `reader` needs no buffer of its own.
    ///
    /// # Errors
    /// If the source cannot be read, is no capture, or has a format that is not read here. Then the
    /// error says what the format is instead, and what to do about it.
    pub fn new(reader: R) -> Result<Self, CaptureError> {
        let mut window = Window::new(reader);
        let format = Format::read(&mut window)?;
        Ok(Self { window, format, records: 0, is_done: false, truncation: None })
    }

    /// The next record; `None` at the end. If the file ends within a record, that record is not
    /// returned: see [`truncation`](Self::truncation).
    ///
    /// # Errors
    /// If the file cannot be read any further, or is damaged. After an error every further call
    /// returns `None`.
    #[expect(clippy::should_implement_trait, reason = "a record borrows from the reader")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, CaptureError> {
        if self.is_done {
            return Ok(None);
        }
        match self.format.next(&mut self.window) {
            Ok(found) => {
                self.records += 1;
                let block = self.window.take(found.block_len);
                Ok(Some(Record {
                    number: self.records,
                    time: found.time,
                    interface: found.interface,
                    link_type: found.link_type,
                    original_len: found.original_len.max(found.data_len).into(),
                    data: &block[found.data_at..][..found.data_len as usize],
                }))
            }
            Err(stop) => self.stop(stop),
        }
    }

    /// The place at which the file was cut off, if it ended within a record, as after a full disk
    /// or a capture that was killed; `None` otherwise. All whole records before that place have
    /// been returned.
    pub const fn truncation(&self) -> Option<Truncation> {
        self.truncation
    }

    #[cold]
    fn stop(&mut self, stop: Stop) -> Result<Option<Record<'_>>, CaptureError> {
        self.is_done = true;
        match stop {
            Stop::End => Ok(None),
            Stop::Cut { offset } => {
                self.truncation = Some(Truncation { records: self.records, offset });
                Ok(None)
            }
            Stop::Damage { offset, message } => {
                Err(CaptureError::Input { record: Some(self.records + 1), offset, message })
            }
            Stop::Io { offset, source } => Err(CaptureError::Io { offset, source }),
        }
    }
}

/// A record that lies whole in the window.
struct BufferedRecord {
    time: Option<Time>,
    interface: u32,
    link_type: LinkType,
    original_len: u32,
    /// The offset of the data from the first byte of the record; within `block_len`.
    data_at: usize,
    data_len: u32,
    /// The length of the record in bytes with all that belongs to it.
    block_len: usize,
}
