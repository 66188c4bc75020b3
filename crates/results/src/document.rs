//! The result document: the contract with everyone who reads `--json`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::{Distributions, FlowResult, LinkResult, Timeline, Validity, Version, finite, ratio};

/// What a run yields, with names and shapes that change only with the version.
///
/// All but [`cost`](Self::cost) is a function of scenario and seed. Statistics start after the
/// scenario's warm-up. Fields unknown to this version are ignored when read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// `"unbloat.result"`; reading anything else is an error.
    pub schema: ResultSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The scenario as run, with all defaults spelled out.
    pub scenario: serde_json::Value,
    /// Which clock it ran by, if that was not the virtual one of the simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockKind>,
    /// Whether a run by the real clock can be believed; written only for those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity: Option<Validity>,
    /// When the run was cut short, in seconds of its own time; `None` if it was not. The result is
    /// that of the time up to then, warm-up included if that was not over. Written only if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted_s: Option<f64>,
    /// One entry a link, in the scenario's order.
    pub links: IndexMap<String, LinkResult>,
    /// One entry a flow, in the scenario's order; members of a `count` are `name[0]`, ...
    pub flows: IndexMap<String, FlowResult>,
    /// What the run cost.
    pub cost: Cost,
    /// Delays in full, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distributions: Option<Distributions>,
    /// How it went over time, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

impl Document {
    /// A document about this scenario that says nothing yet.
    pub fn new(scenario: serde_json::Value) -> Self {
        Self { scenario, ..Self::default() }
    }
}

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockKind {
    /// That of the machine.
    Real,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultSchema {
    /// The only one there is.
    #[default]
    #[serde(rename = "unbloat.result")]
    Result,
}

/// What a run cost whoever made it, from its beginning, warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Packets that the busiest direction of all links delivered.
    pub bottleneck_packets: u64,
    /// Packets that all links together delivered.
    pub packets: u64,
    /// Events that were handled.
    pub events: u64,
    /// Processor time in seconds.
    pub cpu_s: Option<f64>,
    /// `bottleneck_packets / cpu_s`.
    pub packets_per_cpu_s: Option<f64>,
    /// The largest resident set in megabytes (10^6 bytes).
    pub peak_rss_mb: Option<f64>,
}

impl Cost {
    /// The same with what only the driver of a run can measure.
    #[must_use]
    pub fn measured(self, cpu_s: Option<f64>, peak_rss_mb: Option<f64>) -> Self {
        let cpu_s = cpu_s.and_then(finite);
        let packets_per_cpu_s = cpu_s.and_then(|cpu| ratio(self.bottleneck_packets as f64, cpu));
        Self { cpu_s, packets_per_cpu_s, peak_rss_mb: peak_rss_mb.and_then(finite), ..self }
    }
}

#[cfg(test)]
mod tests;
