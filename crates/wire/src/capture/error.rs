//! Errors of a capture, and their places.

use std::{fmt, io};

/// The reason why a capture cannot be read, or not any further.
#[derive(Debug)]
pub enum CaptureError {
    /// The file, or the pipe, could not be read.
    Io {
        /// The number of bytes that had been used by then.
        offset: u64,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not a capture, or a damaged one.
    Input {
        /// The record, counted from 1; `None` if the beginning of the file is wrong.
        record: Option<u64>,
        /// The offset in the file at which the mistake, or the unit that contains it, begins.
        offset: u64,
        /// The mistake, and what would be right.
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

/// The place at which a capture was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// The number of whole records before the cut.
    pub records: u64,
    /// The offset in the file at which the incomplete record begins.
    pub offset: u64,
}
