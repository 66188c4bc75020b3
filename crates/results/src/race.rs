//! The race document: what `unbloat race --json` prints.

use serde::{Deserialize, Serialize};

use crate::Version;

/// A race of rules that follow a line, on simulated lines whose rate changes.
///
/// It is what `unbloat race autorate --json` prints. A later release may add fields without a new
/// version number: readers ignore what they do not know, and the JSON Schema allows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Race {
    /// `"unbloat.race"`; reading anything else is an error.
    pub schema: RaceSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The first seed.
    pub seed: u64,
    /// The number of seeds; each gives one line of each kind.
    pub seeds: u64,
    /// The time of each run in seconds.
    pub time_s: f64,
    /// The names of the rules that were raced.
    pub rules: Vec<String>,
    /// The lines, one entry a kind.
    pub lines: Vec<RacedLine>,
    /// The comparison of our rules with the others; `None` if ours or all others were left out.
    pub comparison: Option<RaceComparison>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RaceSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.race")]
    Race,
}

/// A kind of line, with what each set of rules did there. All figures are means over the seeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RacedLine {
    /// The kind: `cellular`, `steps`, `starlink`, `cable`, `dsl`, `silent`, `astray`, or `trace`.
    pub kind: String,
    /// The oracle, which knows the line's rate.
    pub oracle: RacedRules,
    /// The rules, in the order of the race.
    pub entries: Vec<RacedRules>,
    /// The first seed over time.
    pub curves: RaceCurves,
}

/// The result of a set of rules on a kind of line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RacedRules {
    /// The name of the rules; `oracle` for the oracle.
    pub rules: String,
    /// The cost: the delay beyond 30 ms in milliseconds, and the goodput that was lost in percent.
    pub cost: f64,
    /// The delay of others beyond 30 ms, both ways together, as a mean over the time with load.
    pub beyond_ms: f64,
    /// The goodput of the uploads that was lost against the oracle, in percent; `None` without
    /// uploads.
    pub lost_up_percent: Option<f64>,
    /// The goodput of the downloads that was lost against the oracle, in percent; `None` without
    /// downloads.
    pub lost_down_percent: Option<f64>,
    /// The cost for each seed.
    pub costs: Vec<f64>,
    /// The seconds in which no reflector answered.
    pub silent_s: f64,
    /// The seconds of them in which the rules said that they were blind.
    pub told_s: f64,
    /// The seconds in which the rules said so, silence or not.
    pub blind_s: f64,
    /// The requests to reflectors a second.
    pub requests_per_s: f64,
}

/// The first seed of a kind of line over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RaceCurves {
    /// The time of each point in seconds.
    pub time_s: Vec<f64>,
    /// The line's rate for the upload in Mbit/s.
    pub capacity_up_mbit: Vec<f64>,
    /// The line's rate for the download in Mbit/s.
    pub capacity_down_mbit: Vec<f64>,
    /// The rules, in the order of the race.
    pub rules: Vec<RaceCurve>,
}

/// The course of a set of rules over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RaceCurve {
    /// The name of the rules.
    pub rules: String,
    /// The rate of the upload's shaper in Mbit/s.
    pub up_mbit: Vec<f64>,
    /// The rate of the download's shaper in Mbit/s.
    pub down_mbit: Vec<f64>,
    /// The mean delay of others since the point before, both ways together, in milliseconds.
    pub delay_ms: Vec<f64>,
    /// True where the rules said that they were blind.
    pub blind: Vec<bool>,
}

/// Our rules beside the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RaceComparison {
    /// For each kind of line, our cost divided by that of the best of the others.
    pub ratios: Vec<RaceRatio>,
    /// The median of the ratios.
    pub median_ratio: f64,
    /// The kinds of lines on which ours cost more than one of the others by a tenth.
    pub dearer: Vec<RaceRatio>,
}

/// Our cost divided by that of another set of rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RaceRatio {
    /// The kind of line.
    pub kind: String,
    /// The other rules.
    pub than: String,
    /// Our cost in parts of theirs.
    pub ratio: f64,
}
