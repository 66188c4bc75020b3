//! The document of a shaper at work: what `unbloat shape DEV --status --json` prints.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{AutorateState, Version};

/// The state of a shaper on an interface.
///
/// It is what `unbloat shape DEV --status --json` prints. A later release may add fields without a new
/// version number: readers ignore what they do not know, and the JSON Schema allows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shaping {
    /// `"unbloat.shaping"`; reading anything else is an error.
    pub schema: ShapingSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The name of the interface.
    pub interface: String,
    /// The state of the shaper now.
    pub state: ShapingState,
    /// The time since the shaper began, in seconds.
    pub uptime_s: f64,
    /// The direction out of the interface; `None` if it is left as it is.
    pub up: Option<ShapedDirection>,
    /// The direction into the interface; `None` if it is left as it is.
    pub down: Option<ShapedDirection>,
    /// 99 % of the packets of the last second were sent no later than this after the time at which
    /// they were due, in microseconds; `None` if there were no packets.
    pub lateness_us: Option<f64>,
    /// The number of times that the shaper could not keep up, and let packets pass.
    pub stepped_aside: u64,
    /// The part of a processor that the shaper took in the last second; 1 is all of it.
    pub cpu: f64,
    /// The rates that follow the line; `None` if they are fixed, and while the interface is not there.
    #[serde(default)]
    pub autorate: Option<AutorateState>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ShapingSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.shaping")]
    Shaping,
}

/// The states of a shaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ShapingState {
    /// Packets go through the queues.
    Shaping,
    /// The shaper could not keep up, and lets packets pass for a while.
    Passing,
    /// The interface is not there, and the shaper waits for it.
    Waiting,
}

/// One direction of a shaped interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShapedDirection {
    /// The queue with all its settings, in the words of tc.
    pub queue: String,
    /// The rate to which packets are held, in Mbit/s; `None` without a limit.
    pub limit_mbit: Option<f64>,
    /// The rate at which packets left in the last second, in Mbit/s, as the queue counts them.
    pub rate_mbit: f64,
    /// The times that packets of the last second waited in the queue; `None` if there were none.
    pub delay_ms: Option<ShapedDelay>,
    /// Bytes since the shaper began that it sent on at once: DHCP, Neighbor Discovery, and packets that
    /// contradict themselves.
    pub passed_bytes: u64,
    /// Bytes since the shaper began that the interface counted and the shaper did not see: packets for
    /// several stations and protocols without a queue; in numbers, hardware carries packets past the
    /// kernel, or they came while the shaper let packets pass.
    pub missed_bytes: u64,
    /// Packets since the shaper began that were lost between the kernel and the queue.
    pub lost_packets: u64,
    /// Packets since the shaper began that the interface refused behind the queue: it is switched off, or its
    /// own queue is full.
    #[serde(default)]
    pub refused_packets: u64,
    /// The queue as `tc -s -j qdisc show` prints it.
    pub tc: Map<String, Value>,
}

/// Times that packets waited, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShapedDelay {
    /// Half of the packets waited no longer.
    pub p50: f64,
    /// 95 % of the packets waited no longer.
    pub p95: f64,
    /// The longest wait.
    pub max: f64,
}
