//! The format of a file, and the error for a file of another kind.

use std::io::Read;

use super::foreign::{CAPTURE_START, Foreign, Kind};
use super::pcap::Pcap;
use super::pcapng::Pcapng;
use super::unknown_format;
use super::window::{Stop, Window};
use super::{BufferedRecord, CaptureError};

/// A format that is read here, and the state of its reader.
#[derive(Debug)]
pub(super) enum Format {
    Pcap(Pcap),
    Pcapng(Pcapng),
    Foreign(Foreign),
}

impl Format {
    /// Recognises the format, and reads the header of the file.
    pub(super) fn read<R: Read>(window: &mut Window<R>) -> Result<Self, CaptureError> {
        let magic = window.fill(4).map_err(error)?.first_chunk().copied().unwrap_or_default();
        if let Some(pcap) = Pcap::recognise(magic) {
            pcap.begin(window).map(Self::Pcap).map_err(error)
        } else if Pcapng::recognise(magic) {
            Pcapng::begin(window).map(Self::Pcapng).map_err(error)
        } else {
            // More is read only where it is needed, since a pipe may have no more for now.
            let start = window.fill(CAPTURE_START).map_err(error)?;
            let kind = Kind::recognise(start).ok_or_else(|| unknown(start))?;
            kind.begin(window).map(Self::Foreign).map_err(error)
        }
    }

    #[inline]
    pub(super) fn next<R: Read>(&mut self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        match self {
            Self::Pcap(pcap) => pcap.next(window),
            Self::Pcapng(pcapng) => pcapng.next(window),
            Self::Foreign(foreign) => foreign.next(window),
        }
    }
}

/// True if a file with this beginning is a capture that [`CaptureReader`](super::CaptureReader)
/// reads. Four bytes are enough for pcap and pcapng, and [`CAPTURE_START`] for each format; a
/// shorter beginning counts as the whole file.
pub fn is_capture(start: &[u8]) -> bool {
    let magic = start.first_chunk().copied().unwrap_or_default();
    Pcap::recognise(magic).is_some() || Pcapng::recognise(magic) || Kind::recognise(start).is_some()
}

/// The error for a file with this beginning, whose format is not read here.
fn unknown(start: &[u8]) -> CaptureError {
    const ENOUGH_TO_NAME_A_FORMAT: usize = 256;
    // Only a fixed length is used, so that the message depends on the file, not on the pipe.
    let start = &start[..start.len().min(ENOUGH_TO_NAME_A_FORMAT)];
    CaptureError::Input { record: None, offset: 0, message: unknown_format::complaint(start) }
}

/// The error for a mistake in the header of the file.
fn error(stop: Stop) -> CaptureError {
    let (offset, message) = match stop {
        Stop::Io { offset, source } => return CaptureError::Io { offset, source },
        Stop::Damage { offset, message } => (offset, message),
        Stop::End | Stop::Cut { .. } => {
            (0, "the file ends within its header; it is the beginning of a capture".into())
        }
    };
    CaptureError::Input { record: None, offset, message }
}
