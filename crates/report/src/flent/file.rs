//! The file as it is read: of all that may be in it, what a measurement can hold.

use results::MeasuredStage;
use serde::Deserialize;

use crate::foreign::{Lists, list};

/// All of it.
#[derive(Debug, Deserialize)]
pub(super) struct File {
    /// Of the format; files without are of the first.
    #[serde(default = "first")]
    pub(super) version: u64,
    pub(super) metadata: Metadata,
    /// Times of `results`, in seconds from the beginning.
    #[serde(deserialize_with = "list")]
    pub(super) x_values: Vec<f64>,
    pub(super) results: Lists<Option<f64>>,
    /// Version 1 has none.
    #[serde(default)]
    pub(super) raw_values: Lists<Sample>,
}

fn first() -> u64 {
    1
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct Metadata {
    /// The test's.
    pub(super) name: String,
    pub(super) host: Option<String>,
    /// When it was begun; in the zone of the machine if it has no `Z` at its end.
    pub(super) time: Option<String>,
    /// When the first value was measured: 0 of `x_values`.
    pub(super) t0: Option<String>,
    pub(super) title: Option<String>,
    pub(super) flent_version: Option<String>,
    /// Of what we wrote ourselves: what was loaded when, in seconds from `t0`.
    pub(super) unbloat_stages: Option<Vec<MeasuredStage>>,
}

/// A value as it was measured.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Sample {
    /// Unix time, in seconds: of a packet that is missing when it was sent, of one that is not when
    /// it came, of a rate the end of its interval.
    pub(super) t: Option<f64>,
    /// In the unit of the series.
    pub(super) val: Option<f64>,
    /// How long a rate was measured, in seconds.
    pub(super) dur: Option<f64>,
    /// One-way delays by the wall clocks of both ends, in milliseconds.
    pub(super) owd_up: Option<f64>,
    pub(super) owd_down: Option<f64>,
    pub(super) lost: bool,
    pub(super) lost_dir: Option<LostDirection>,
    /// Of a flow that was sent from here: the smoothed round trip, in milliseconds.
    pub(super) tcp_rtt: Option<f64>,
    /// In segments.
    pub(super) tcp_cwnd: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LostDirection {
    Up,
    Down,
    /// It is told only as lost.
    #[serde(other)]
    Unknown,
}
