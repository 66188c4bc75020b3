//! Whether a run by the real clock can be believed.

use serde::{Deserialize, Serialize};

/// How well the loop that moved the packets kept time, and whether that was well enough.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Validity {
    /// Enough or not.
    pub verdict: Soundness,
    /// Why it is starved, one sentence each; empty if it is valid.
    pub reasons: Vec<String>,
    /// What the ports are made of: `tun` or `packet`.
    pub ports: String,
    /// How late packets were delivered, in microseconds after their time.
    pub lateness_us: Lateness,
    /// How far the worst wire fell behind one that gets each packet when it comes, at most, in
    /// seconds.
    pub lost_credit_s: f64,
    /// Packets lost between a stack and the loop.
    pub device_drops: u64,
    /// Packets for which the loop had no memory.
    pub no_memory: u64,
    /// Packets that could not be understood, and were thrown away.
    pub malformed: u64,
    /// The part of one processor that the loop took, 0 to 1.
    pub cpu: Option<f64>,
}

/// Whether a run can be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Soundness {
    /// It kept time.
    #[default]
    Valid,
    /// The machine was too busy: what came out says more about it than about the queue.
    Starved,
}

/// How late packets were delivered, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lateness {
    /// Median.
    pub p50: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// The latest.
    pub max: Option<f64>,
}
