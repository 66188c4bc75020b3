//! The validity of a run by the real clock.

use serde::{Deserialize, Serialize};

/// The timing of the loop that moved the packets, and the verdict whether it was good enough.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Validity {
    /// The verdict.
    pub verdict: Soundness,
    /// The causes in words, one sentence each, as `report` writes them; empty if the run is valid,
    /// and before `report` has written them.
    pub reasons: Vec<String>,
    /// The causes why the run is starved; empty if it is valid, and in documents of earlier
    /// releases, which have the sentences alone.
    #[serde(default)]
    pub causes: Vec<Starvation>,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Soundness {
    /// The run kept time.
    #[default]
    Valid,
    /// The machine was too busy: the results say more about the machine than about the queue.
    Starved,
}

/// A cause why a run cannot be believed. Each has a figure of the run, and the bound of a sound run
/// where there is a constant one. The sentence is `report`'s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Starvation {
    /// Packets were delivered too late.
    Late {
        /// The 99th percentile of the lateness, in milliseconds.
        p99_ms: f64,
        /// The largest that is sound, in milliseconds.
        sound_ms: f64,
    },
    /// A wire fell behind one that gets each packet as soon as it arrives.
    Behind {
        /// The part of the time by which the worst wire fell behind at most, 0 to 1.
        part: f64,
        /// The largest part that is sound, 0 to 1.
        sound_part: f64,
    },
    /// Packets were lost before they came to a queue.
    LostBefore {
        /// Number of lost packets.
        lost: u64,
        /// Number of all packets, the lost ones among them.
        packets: u64,
        /// True if the senders sent far more than the links carry, so that the machine is not to
        /// blame.
        flood: bool,
    },
    /// Packets were thrown away because there was no memory for more.
    NoMemory {
        /// Number of lost packets.
        lost: u64,
        /// Number of all packets, the lost ones among them.
        packets: u64,
    },
}

/// The lateness of delivered packets, in microseconds; all `None` if none was delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lateness {
    /// Median, by nearest rank.
    pub p50: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// The greatest lateness.
    pub max: Option<f64>,
}
