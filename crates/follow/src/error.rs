//! The errors of following a line.

use std::io;

use measure::client::ClientError;

/// The reason why a line cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The server does not take part.
    #[error(transparent)]
    Server(#[from] ClientError),
    /// The kernel refused something else.
    #[error("{what}: {cause}")]
    Kernel {
        /// The action that failed.
        what: &'static str,
        /// The kernel's error.
        cause: io::Error,
    },
}
