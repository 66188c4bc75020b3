//! The recording of a measurement: all that a test observed, so that it can be judged again.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::Version;
use observation::{Incomplete, Load, Observations};

/// The output of `unbloat test --observations`: the observations, with time and place of the test.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Recording {
    /// `"unbloat.observations"`; reading anything else is an error.
    pub schema: RecordingSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The test's name: see [`Measurement::test`](crate::Measurement::test).
    pub test: String,
    /// The server as it was named.
    pub server: String,
    /// The address and port that were measured.
    pub address: String,
    /// Time of the test's beginning: RFC 3339, UTC, to the microsecond.
    pub started: String,
    /// Duration of the test, in seconds.
    pub duration_s: f64,
    /// The reason why the test is incomplete, in words as `report` writes them; `None` if it is
    /// complete, and before `report` has written them.
    pub partial: Option<String>,
    /// The reason why the test is incomplete; `None` if it is complete, and in documents of
    /// earlier releases, which have the words alone.
    #[serde(default)]
    pub partial_reason: Option<Incomplete>,
    /// Loads that were planned.
    pub planned: Vec<Load>,
    /// An address of the server that was tried first and did not answer; `None` if there was none.
    pub silent: Option<IpAddr>,
    /// All observations of the test.
    pub observations: Observations,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordingSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.observations")]
    Observations,
}
