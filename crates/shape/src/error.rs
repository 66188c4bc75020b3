//! The errors of shaping an interface.

use std::io;

use follow::FollowError;
use live::PortError;

/// The error of shaping an interface.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// There is no such interface.
    #[error("there is no interface {0}; `ip link` lists those that there are")]
    NoInterface(String),
    /// The interface leads to this machine itself. The kernel drops packets of IPv4 that come out of a
    /// queue there, since their addresses are this machine's.
    #[error("packets of {0} never leave this machine; name the interface to the provider")]
    Loopback(String),
    /// Another shaper of ours is at work on the interface.
    #[error("a shaper of unbloat is at work on {0}; `unbloat shape {0} --status` shows it")]
    Taken(String),
    /// This process may not do what a shaper needs.
    #[error("{0}")]
    Forbidden(String),
    /// The kernel lacks something that a shaper needs.
    #[error("{0}")]
    Unsupported(String),
    /// A port could not be made.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The line cannot be followed.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// The kernel refused something else.
    #[error("{what}: {error}")]
    Kernel {
        /// The action that failed, for people.
        what: String,
        /// The kernel's error.
        error: io::Error,
    },
}

/// Adds the action that failed to the kernel's error.
pub(crate) trait TryTo<T> {
    fn try_to(self, what: &str) -> Result<T, ShapeError>;
}

impl<T, E: Into<io::Error>> TryTo<T> for Result<T, E> {
    fn try_to(self, what: &str) -> Result<T, ShapeError> {
        self.map_err(|error| ShapeError::Kernel { what: what.to_owned(), error: error.into() })
    }
}
