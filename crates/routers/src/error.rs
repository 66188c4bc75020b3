//! Why a plan cannot be written.

use std::fmt;

/// The reason why a plan cannot be written for a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlatformError {
    /// The platform needs the name of the interface to the provider.
    WanWanted,
    /// The name is not that of an interface.
    NotAnInterface(String),
}

impl fmt::Display for PlatformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WanWanted => {
                f.write_str("the interface to the provider is not known; name it: --wan eth0")
            }
            Self::NotAnInterface(name) => write!(
                f,
                "{name:?} is not the name of an interface; write letters, digits and `.-_:@` as in \
                 `eth0` or `pppoe-wan`, at most 15"
            ),
        }
    }
}

impl std::error::Error for PlatformError {}
