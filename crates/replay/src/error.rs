//! The reasons why a replay ends without a result.

use std::fmt;
use std::io;

use wire::CaptureError;

/// The reason why a replay ends without a result.
#[derive(Debug)]
pub enum ReplayError {
    /// Arrivals that cannot be used: the place, the mistake, and the right form. The caller puts
    /// the name of the file in front.
    Input(String),
    /// A failure to read the arrivals.
    Read(io::Error),
    /// A failure to write the fates.
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
