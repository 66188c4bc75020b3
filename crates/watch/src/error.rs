//! The reasons why targets cannot be watched.

use std::io;

/// The reasons why targets cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The kernel's error in an action.
    #[error("{what} failed: {cause}")]
    Kernel {
        /// The action.
        what: &'static str,
        /// The kernel's error.
        cause: io::Error,
    },
    /// This user may send no pings.
    #[error(
        "this user may send no pings; set net.ipv4.ping_group_range (`sysctl -w net.ipv4.ping_group_range=\"0 2147483647\"`), run as root, or watch targets such as tcp:HOST:443"
    )]
    NoPings,
    /// The system's certificates cannot be used.
    #[cfg(feature = "https")]
    #[error("https targets need certificates: {0}")]
    Certificates(#[from] trust::TrustError),
    /// This program was built without a kind of target.
    #[error("this program was built without https targets; watch tcp:HOST:443")]
    NoHttps,
}

/// The kernel's error in an action.
pub(crate) fn failed(what: &'static str) -> impl Fn(io::Error) -> WatchError {
    move |cause| WatchError::Kernel { what, cause }
}
