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
    /// The platform needs the rates of both directions.
    BothWanted,
    /// The platform takes no rate below this one.
    TooSlow(&'static str),
}

impl fmt::Display for PlatformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WanWanted => {
                f.write_str("the interface to the provider is not known; name it: --wan eth0")
            }
            Self::BothWanted => {
                f.write_str("the platform needs the rates of both directions; name them: --up 10mbit --down 50mbit")
            }
            Self::TooSlow(least) => write!(f, "the platform takes no rate below {least}"),
            Self::NotAnInterface(name) => write!(
                f,
                "{name:?} is not the name of an interface; write letters, digits and `.-_` as in \
                 `eth0` or `pppoe-wan`, at most 15; of `eth0@if3` write `eth0`"
            ),
        }
    }
}

impl std::error::Error for PlatformError {}
