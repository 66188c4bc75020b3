//! The evidence for the place of a queue.

use std::net::IpAddr;

use observation::Heading;
use serde::{Deserialize, Serialize};

/// The evidence for the place of a direction's queue, or the reason why the place is not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "case", rename_all = "snake_case")]
pub enum Evidence {
    /// Both directions were loaded at once: a late answer may have waited on either way.
    BothLoaded,
    /// An end or the client's machine was the limit, so no hop is late because of a slow line.
    NotTheLine,
    /// The load adds too little delay to tell where.
    TooSmall {
        /// The median of the whole path's added delay under load, in milliseconds.
        added_ms: f64,
    },
    /// The added delay begins at one place.
    Step(DelayStep),
    /// The answers show no place where all of the delay begins.
    Contradictory {
        /// The added delay of the whole path.
        path: PathDelay,
        /// The hops that answered both at rest and under load, the nearest first.
        hops: Vec<HopDelay>,
    },
    /// No router's answer waited, but answers may have bypassed the queue.
    Bypassed {
        /// The added delay of the whole path.
        path: PathDelay,
    },
}

/// A place at which the added delay begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DelayStep {
    /// The added delay of the whole path.
    pub path: PathDelay,
    /// The last hop before the queue and the first one behind it, without those that are not known.
    pub hops: Vec<HopDelay>,
    /// The first and the last of the hops between these two that showed nothing; `None` if there
    /// are none.
    pub silent: Option<[u8; 2]>,
    /// True if the server answered the probes.
    pub server_answered: bool,
    /// The client's Wi-Fi under this load; `None` if packets do not pass it there, or if its rate is
    /// not known.
    pub wireless: Option<WirelessRate>,
}

/// The delay that a load adds to the whole path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathDelay {
    /// The direction of the load.
    pub heading: Heading,
    /// The median of the added delay under load, in milliseconds.
    pub added_ms: f64,
}

/// The delay that a load adds until a hop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HopDelay {
    /// Number of the hop, counted from the client: 0 is the client's own interface, 1 the first
    /// router.
    pub hop: u8,
    /// The address that answered; `None` if it is not known.
    pub address: Option<IpAddr>,
    /// The median of the added delay under load, in milliseconds.
    pub added_ms: f64,
}

/// The client's Wi-Fi while a direction was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WirelessRate {
    /// The median of the radio's rate, in Mbit/s.
    pub rate_mbit: f64,
    /// The median of the signal, in dBm; `None` if it is not known.
    pub signal_dbm: Option<i8>,
}
