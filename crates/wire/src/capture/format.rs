//! The format of a file, and the error for a file of another kind.

use std::io::Read;

use super::pcap::Pcap;
use super::pcapng::Pcapng;
use super::unknown_format;
use super::window::{Stop, Window};
use super::{BufferedRecord, CaptureError};

/// A format that is read here.
#[derive(Debug)]
pub(super) enum Format {
    Pcap(Pcap),
    Pcapng(Pcapng),
}

impl Format {
    /// Recognises the format, and reads the header of the file.
    pub(super) fn read<R: Read>(window: &mut Window<R>) -> Result<Self, CaptureError> {
        const ENOUGH_TO_NAME_A_FORMAT: usize = 256;
        let magic = window.fill(4).map_err(error)?.first_chunk().copied().unwrap_or_default();
        if let Some(pcap) = Pcap::recognise(magic) {
            pcap.begin(window).map(Self::Pcap).map_err(error)
        } else if Pcapng::recognise(magic) {
            Pcapng::begin(window).map(Self::Pcapng).map_err(error)
        } else {
            let start = window.fill(ENOUGH_TO_NAME_A_FORMAT).map_err(error)?;
            // Only a fixed length is used, so that the message depends on the file, not on the
            // pipe.
            let start = &start[..start.len().min(ENOUGH_TO_NAME_A_FORMAT)];
            Err(CaptureError::Input {
                record: None,
                offset: 0,
                message: unknown_format::complaint(start),
            })
        }
    }

    #[inline]
    pub(super) fn next<R: Read>(&mut self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        match self {
            Self::Pcap(pcap) => pcap.next(window),
            Self::Pcapng(pcapng) => pcapng.next(window),
        }
    }
}

/// True if a file with this beginning is a capture that [`CaptureReader`](super::CaptureReader)
/// reads. Four bytes are enough.
pub fn is_capture(start: &[u8]) -> bool {
    let magic = start.first_chunk().copied().unwrap_or_default();
    Pcap::recognise(magic).is_some() || Pcapng::recognise(magic)
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
