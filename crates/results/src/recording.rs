//! The recording of a measurement: all that a test observed, so that it can be judged again.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::Version;
use observation::{Load, Observations};

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
    /// The reason why the test is incomplete, in a sentence; `None` if it is complete.
    pub partial: Option<String>,
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
