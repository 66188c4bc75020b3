//! The document of rates that follow a line: what `unbloat autorate DEV --json` prints each second, and a part
//! of that of a shaper.

use serde::{Deserialize, Serialize};

use crate::Version;

/// The rates of an interface's queues, which follow its line.
///
/// It is a line of what `unbloat autorate DEV --json` prints. A later release may add fields without a new
/// version number: readers ignore what they do not know, and the JSON Schema allows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Autorate {
    /// `"unbloat.autorate"`; reading anything else is an error.
    pub schema: AutorateSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The name of the interface.
    pub interface: String,
    /// The time since the rates began to follow, in seconds.
    pub uptime_s: f64,
    /// The rates, and what they are decided by.
    #[serde(flatten)]
    pub state: AutorateState,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum AutorateSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.autorate")]
    Autorate,
}

/// Rates that follow a line, and what they are decided by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AutorateState {
    /// The source of delays.
    pub source: AutorateSource,
    /// The reason why no delay is known; `None` while delays are known.
    pub blind: Option<AutorateBlind>,
    /// The time since which no delay is known, in seconds; `None` while delays are known.
    pub blind_s: Option<f64>,
    /// The direction out of the interface.
    pub up: AutorateDirection,
    /// The direction into the interface.
    pub down: AutorateDirection,
}

/// The sources of delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AutorateSource {
    /// A server of ours: the delays of both directions are known apart.
    Server,
    /// Reflectors: hosts that answer pings.
    Reflectors,
    /// TCP connections that pass.
    Passing,
}

/// The reasons why no delay is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AutorateBlind {
    /// Nobody answers, though traffic passes: the line lives.
    Silent,
    /// Nobody answers, and hardly any traffic passes: the line is dead, or nobody uses it.
    Dead,
}

/// The rate of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AutorateDirection {
    /// The rate of the queue now, in Mbit/s.
    pub rate_mbit: f64,
    /// The reason for that rate.
    pub reason: AutorateReason,
    /// The rate that crossed the line in the last second, in Mbit/s.
    pub carried_mbit: f64,
    /// The least rate that is allowed, in Mbit/s.
    pub minimum_mbit: f64,
    /// The base rate, which the line has most of the time, in Mbit/s.
    pub base_mbit: f64,
    /// The greatest rate that is allowed, in Mbit/s.
    pub maximum_mbit: f64,
}

/// The reasons for a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AutorateReason {
    /// Nothing speaks for another rate.
    Hold,
    /// The line's queue grows: the rate is lowered to what the line carries.
    Bloated,
    /// The line's queue is still there: the rate stays low until it is gone.
    Draining,
    /// The line's queue is gone: the rate goes back to what the line carried.
    Drained,
    /// The shaper is full and the line's queue is not: the rate is raised.
    Loaded,
    /// The direction is idle: the rate goes to the base.
    Idle,
    /// The delay grew though the rate did not cause it: the path has changed, or others load it.
    NotOurs,
    /// No delay is known: the rate is one that the line carried lately.
    Blind,
}
