//! The validity of a run by the real clock.

use serde::{Deserialize, Serialize};

/// The timing of the loop that moved the packets, and the verdict whether it was good enough.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Validity {
    /// The verdict.
    pub verdict: Soundness,
    /// The reasons why the run is starved, one sentence each; empty if it is valid.
    pub reasons: Vec<String>,
    /// The kind of the ports: `tun` or `packet`.
    pub ports: String,
    /// Lateness of delivered packets: the time by which they were delivered too late, in
    /// microseconds.
    pub lateness_us: Lateness,
    /// The longest time by which the worst wire fell behind one that gets each packet as soon as it
    /// arrives, in seconds.
    pub lost_credit_s: f64,
    /// Packets lost between a stack and the loop.
    pub device_drops: u64,
    /// Packets for which the loop had no memory.
    pub no_memory: u64,
    /// Packets that could not be understood, and were thrown away.
    pub malformed: u64,
    /// The part of one processor that the loop took, 0 to 1; `None` if it is not known.
    pub cpu: Option<f64>,
}

/// The verdict whether a run can be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Soundness {
    /// The run kept time.
    #[default]
    Valid,
    /// The machine was too busy: the results say more about the machine than about the queue.
    Starved,
}

/// The lateness of delivered packets, in microseconds; all `None` if none was delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lateness {
    /// Median.
    pub p50: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// The greatest lateness.
    pub max: Option<f64>,
}
