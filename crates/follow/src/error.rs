//! The errors of following a line.

use std::io;
use std::net::IpAddr;

use measure::client::ClientError;

/// The reason why a line cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The server does not take part.
    #[error(transparent)]
    Server(#[from] ClientError),
    /// There is no way to a host by the interface.
    #[error("{host} cannot be asked: {cause}")]
    Host {
        /// The host.
        host: IpAddr,
        /// The kernel's error.
        cause: io::Error,
    },
    /// The kernel refused something else.
    #[error("{what}: {cause}")]
    Kernel {
        /// The action that failed.
        what: &'static str,
        /// The kernel's error.
        cause: io::Error,
    },
}
