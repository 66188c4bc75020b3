//! The error of preparing or running a guest.

use std::fmt;
use std::io;

/// The error of preparing or running a guest: what was to be done, and why it failed.
#[derive(Debug)]
pub struct GuestError(String);

impl GuestError {
    /// An error in the words of the one who found it.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for GuestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for GuestError {}

/// Adds the action that failed to an error.
pub(crate) trait TryTo<T> {
    /// The same result, whose error tells what was to be done.
    fn try_to(self, what: impl fmt::Display) -> Result<T, GuestError>;
}

impl<T> TryTo<T> for io::Result<T> {
    fn try_to(self, what: impl fmt::Display) -> Result<T, GuestError> {
        self.map_err(|error| GuestError(format!("{what}: {error}")))
    }
}
