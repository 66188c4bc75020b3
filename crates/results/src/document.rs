//! The result document, which all programs that read `--json` rely on.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use crate::{DirectionResult, each_way::EachWay};
use crate::{Distributions, FlowResult, LinkResult, Timeline, Validity, Version};
use stats::{finite, ratio};

/// The result of a run. The names and shapes of the fields change only with the version.
///
/// Everything but [`cost`](Self::cost) is a function of scenario and seed. Statistics start after
/// the scenario's warm-up. Fields unknown to this version are ignored when read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document {
    /// `"unbloat.result"`; reading anything else is an error.
    pub schema: ResultSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The scenario as run, with all defaults spelled out.
    pub scenario: serde_json::Value,
    /// The clock of the run; `None` for the virtual clock of the simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockKind>,
    /// The verdict whether the run can be believed; `None`, and not written, for a run in virtual
    /// time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity: Option<Validity>,
    /// Time at which the run was cut short, in seconds of its own time; `None`, and not written, if
    /// it was not. The result covers the time up to then, warm-up included if that was not over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted_s: Option<f64>,
    /// Results of each link by name, in the scenario's order.
    #[cfg_attr(feature = "schema", schemars(with = "IndexMap<String, EachWay<DirectionResult>>"))]
    pub links: IndexMap<String, LinkResult>,
    /// Results of each flow by name, in the scenario's order; members of a `count` are `name[0]`,
    /// ...
    pub flows: IndexMap<String, FlowResult>,
    /// The cost of the run.
    pub cost: Cost,
    /// Distributions of delays; `None` if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distributions: Option<Distributions>,
    /// Quantities over time; `None` if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

impl Document {
    /// A document about this scenario, without any results yet.
    pub fn new(scenario: serde_json::Value) -> Self {
        Self { scenario, ..Self::default() }
    }
}

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClockKind {
    /// The clock of the machine.
    Real,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ResultSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.result")]
    Result,
}

/// The cost of a run, from its beginning, warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// Packets that the busiest direction of all links delivered.
    pub bottleneck_packets: u64,
    /// Packets that all links together delivered.
    pub packets: u64,
    /// Events that were handled.
    pub events: u64,
    /// Processor time, in seconds; `None` if it was not measured.
    pub cpu_s: Option<f64>,
    /// `bottleneck_packets / cpu_s`; `None` if the processor time is not known or 0.
    pub packets_per_cpu_s: Option<f64>,
    /// The largest resident set in megabytes (10^6 bytes); `None` if it is not known.
    pub peak_rss_mb: Option<f64>,
}

impl Cost {
    /// The cost with the two figures that only the driver of a run can measure; `None` for one that
    /// it could not measure.
    #[must_use]
    pub fn measured(self, cpu_s: Option<f64>, peak_rss_mb: Option<f64>) -> Self {
        let cpu_s = cpu_s.and_then(finite);
        let packets_per_cpu_s = cpu_s.and_then(|cpu| ratio(self.bottleneck_packets as f64, cpu));
        Self { cpu_s, packets_per_cpu_s, peak_rss_mb: peak_rss_mb.and_then(finite), ..self }
    }
}

#[cfg(test)]
mod tests;
