//! The file as it is read: only those parts that a measurement can hold.

use results::MeasuredStage;
use serde::Deserialize;

use crate::foreign::{Lists, list};

/// The whole file.
#[derive(Debug, Deserialize)]
pub(super) struct File {
    /// Version of the format; 1 if it is missing.
    #[serde(default = "first")]
    pub(super) version: u64,
    pub(super) metadata: Metadata,
    /// Times of `results`, in seconds from the beginning of the test.
    #[serde(deserialize_with = "list")]
    pub(super) x_values: Vec<f64>,
    pub(super) results: Lists<Option<f64>>,
    /// The raw values of each series; empty in version 1.
    #[serde(default)]
    pub(super) raw_values: Lists<FlentSample>,
}

fn first() -> u64 {
    1
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct Metadata {
    /// Name of the test.
    pub(super) name: String,
    pub(super) host: Option<String>,
    /// Start of the test; in the zone of the machine if it has no `Z` at its end.
    pub(super) time: Option<String>,
    /// Time of the first value, which is 0 in `x_values`.
    pub(super) t0: Option<String>,
    pub(super) title: Option<String>,
    pub(super) flent_version: Option<String>,
    /// The stages of the load, in seconds from `t0`; only in our own files.
    pub(super) unbloat_stages: Option<Vec<MeasuredStage>>,
}

/// A raw value.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FlentSample {
    /// Unix time, in seconds. Of a lost packet it is the time of sending, of another packet the
    /// time of delivery, and of a rate the end of its interval.
    pub(super) t: Option<f64>,
    /// The value, in the unit of the series.
    pub(super) val: Option<f64>,
    /// Interval over which a rate was measured, in seconds.
    pub(super) dur: Option<f64>,
    /// One-way delay up by the wall clocks of both ends, in milliseconds.
    pub(super) owd_up: Option<f64>,
    /// One-way delay down by these clocks, in milliseconds.
    pub(super) owd_down: Option<f64>,
    pub(super) lost: bool,
    pub(super) lost_dir: Option<LostDirection>,
    /// Smoothed round trip of a flow that was sent from here, in milliseconds.
    pub(super) tcp_rtt: Option<f64>,
    /// Congestion window, in segments.
    pub(super) tcp_cwnd: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LostDirection {
    Up,
    Down,
    /// The file states only that the packet was lost.
    #[serde(other)]
    Unknown,
}
