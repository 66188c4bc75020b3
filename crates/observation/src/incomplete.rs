//! The reason why a test is incomplete.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::Heading;

/// The reason why a test is incomplete: it ended before its end, or a flow of its load is missing.
///
/// The sentence is `report`'s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Incomplete {
    /// The test was told to stop.
    Interrupted,
    /// A flow could not begin. The test went on without it.
    FlowFailed {
        /// The error, as the system or the server reports it.
        error: String,
    },
    /// The client's machine slept.
    Slept,
    /// The client's program stood still: it was stopped, or had no processor time.
    StoodStill {
        /// Duration, in seconds.
        duration_s: f64,
    },
    /// The client's address changed.
    AddressChanged {
        /// The address at the beginning.
        from: IpAddr,
        /// The address now.
        to: IpAddr,
    },
    /// The client's machine has no route to the server any more.
    NoRoute {
        /// The server's address.
        server: IpAddr,
    },
    /// The server closed the control connection.
    ServerClosed,
    /// Nothing comes from the server any more.
    ServerSilent,
    /// Large packets disappear, and small ones arrive.
    LargeLost {
        /// The direction of the large packets.
        heading: Heading,
        /// The largest IP packet that the client's interface sends, in bytes; `None` if it is not
        /// known.
        largest_bytes: Option<u64>,
    },
}
