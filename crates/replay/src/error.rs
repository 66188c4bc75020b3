//! The reasons why a replay ends without a result.

use std::fmt;
use std::io;

use wire::CaptureError;

/// The reason why a replay ends without a result.
#[derive(Debug)]
pub enum ReplayError {
    /// The arrivals cannot be used: the place, what is wrong, and what would be right. The caller
    /// puts the name of the file in front.
    Input(String),
    /// The arrivals cannot be read.
    Read(io::Error),
    /// The fates cannot be written.
    Write(io::Error),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(message) => f.write_str(message),
            Self::Read(error) => write!(f, "cannot be read: {error}"),
            Self::Write(error) => write!(f, "the fates cannot be written: {error}"),
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<CaptureError> for ReplayError {
    fn from(error: CaptureError) -> Self {
        match error {
            CaptureError::Io { source, .. } => Self::Read(source),
            CaptureError::Input { .. } => Self::Input(error.to_string()),
        }
    }
}
