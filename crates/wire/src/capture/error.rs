//! What can be wrong with a capture, and where.

use std::{fmt, io};

/// Why a capture cannot be read, or not any further.
#[derive(Debug)]
pub enum CaptureError {
    /// The file, or the pipe, could not be read.
    Io {
        /// How many bytes had been used by then.
        offset: u64,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is not a capture, or a damaged one.
    Input {
        /// The record, counted from 1; none if the beginning of the file is wrong.
        record: Option<u64>,
        /// Where in the file that is, or what it belongs to, begins.
        offset: u64,
        /// What is wrong and what would be right.
        message: String,
    },
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { offset, source } => write!(f, "cannot be read at byte {offset}: {source}"),
            Self::Input { record: None, message, .. } => f.write_str(message),
            Self::Input { record: Some(record), offset, message } => {
                write!(f, "record {record} at byte {offset}: {message}")
            }
        }
    }
}

impl std::error::Error for CaptureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Input { .. } => None,
        }
    }
}

/// Where a capture was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// How many whole records came before.
    pub records: u64,
    /// Where in the file that begins which is not whole.
    pub offset: u64,
}

impl fmt::Display for Truncation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { records, offset } = self;
        let plural = if *records == 1 { "record" } else { "records" };
        write!(
            f,
            "the capture is cut off: after {records} {plural}, what begins at byte {offset} "
        )?;
        f.write_str("is not whole")
    }
}
