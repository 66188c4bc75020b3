//! Why a plan cannot be written.

use std::fmt;

/// The reason why a plan cannot be written for a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlatformError {
    /// The platform needs the name of the interface to the provider, such as this one.
    WanWanted(&'static str),
    /// The name is not that of an interface.
    NotAnInterface(String),
    /// The name is not that of an interface of RouterOS.
    NotInQuotes(String),
    /// The platform needs the rates of both directions.
    BothWanted,
    /// The platform has no interface of such a name.
    UnknownInterface(String),
    /// The platform cannot shape what comes in at this interface.
    NoRedirect(String),
    /// The interface has no line behind it.
    Loopback,
    /// The platform takes no rate below this one.
    TooSlow(&'static str),
}

impl fmt::Display for PlatformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WanWanted(example) => {
                write!(f, "the interface to the provider is not known; name it: --wan {example}")
            }
            Self::BothWanted => {
                f.write_str("the platform needs the rates of both directions; name them: --up 10mbit --down 50mbit")
            }
            Self::UnknownInterface(name) => write!(
                f,
                "VyOS has no interface {name:?}; write the name that `show interfaces` prints, as `eth0`, \
                 `eth0.7` or `pppoe0`"
            ),
            Self::NoRedirect(name) => write!(
                f,
                "VyOS cannot shape the download of {name}, as it has no `redirect` for such an interface; \
                 plan the upload alone: --up 10mbit, without a measurement"
            ),
            Self::Loopback => f.write_str(
                "packets of lo never leave this machine; name the interface to the provider: --wan eth0",
            ),
            Self::TooSlow(least) => write!(f, "the platform takes no rate below {least}"),
            Self::NotAnInterface(name) => write!(
                f,
                "{name:?} is not the name of an interface; write letters, digits and `.-_` as in \
                 `eth0` or `pppoe-wan`, at most 15; of `eth0@if3` write `eth0`"
            ),
            Self::NotInQuotes(name) => write!(
                f,
                "{name:?} is not the name of an interface; write up to 64 characters as `/interface print` \
                 shows them, without `\"`, `\\` and `$`"
            ),
        }
    }
}

impl std::error::Error for PlatformError {}
