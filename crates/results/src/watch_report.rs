//! The document of a watch's page: what was seen over time, and what it means.

use serde::{Deserialize, Serialize};

use crate::{Grade, SpikeCause, Ungraded, Version, WatchEvent, WatchedCounts, is_watched_target};

/// A watch as its page draws it.
///
/// It is what `unbloat report DIR --json` prints of a store. A later release may add fields without a new
/// version number: readers ignore what they do not know, and the JSON Schema allows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchReport {
    /// `"unbloat.watch-report"`; reading anything else is an error.
    pub schema: WatchReportSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The first time that is reported, in seconds since 1970 (UTC).
    pub from_s: f64,
    /// The last time that is reported, in seconds since 1970 (UTC).
    pub to_s: f64,
    /// The targets, in the order in which they were first watched.
    pub targets: Vec<WatchedTarget>,
    /// The targets that the layers have, by their places in `targets`: the one that suffered most first, then
    /// the hops and this machine.
    pub drawn: Vec<u32>,
    /// What was seen over time, the coarsest first. A finer one may cover less.
    pub layers: Vec<WatchLayer>,
    /// The events, in the order of their beginnings.
    pub events: Vec<WatchEvent>,
    /// The spikes by cause, the most frequent first.
    pub causes: Vec<CauseCount>,
    /// The days, the first one first.
    pub days: Vec<WatchedDay>,
    /// The times before and after each change.
    pub comparisons: Vec<WatchComparison>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WatchReportSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.watch-report")]
    WatchReport,
}

/// A target of a watch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedTarget {
    /// The target as its user wrote it, a hop on the way (`hop 1`), or `this machine`.
    pub name: String,
    /// True if no probe of the target has a result yet: the first one is due or waits for its answer, or this machine
    /// has had no route to it.
    #[serde(default)]
    pub is_unreached: bool,
    /// What came of its probes in the whole time.
    #[serde(flatten)]
    pub counts: WatchedCounts,
    /// Its round trips and losses over time.
    pub overview: WatchedOverview,
}

/// The places of the targets that somebody watches, the one that suffered most first; without hops, and without
/// those that were not probed.
pub fn ranked_targets(targets: &[WatchedTarget]) -> Vec<usize> {
    let is_seen = |place: &usize| {
        let target = &targets[*place];
        is_watched_target(&target.name) && target.counts.sent > 0
    };
    let mut places: Vec<usize> = (0..targets.len()).filter(is_seen).collect();
    let suffered = |place: &usize| targets[*place].overview.suffered_ms;
    places.sort_by(|one, other| suffered(other).total_cmp(&suffered(one)));
    places
}

/// The round trips and losses of a target over time, in few steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedOverview {
    /// The beginning of the first step, in seconds since 1970 (UTC).
    pub from_s: f64,
    /// The length of a step in seconds.
    pub step_s: f64,
    /// The 95th percentile of the round trip in each step beyond that of the best times in which this machine
    /// did not load the line (the 10th percentile over minutes, or over hours if steps are that long), in
    /// milliseconds; `None` where nothing was answered, and everywhere without three such minutes.
    pub later_ms: Vec<Option<f64>>,
    /// The part of the probes in each step that nobody answered, 0 to 1; `None` without probes.
    pub loss: Vec<Option<f64>>,
    /// The 95th percentile of the round trip in the whole time beyond that of the best times, in
    /// milliseconds; `None` if nothing was answered, or without three such minutes unless it is an F.
    pub later_p95_ms: Option<f64>,
    /// The grade of that delay; `None` if it is not known well enough: docs/watch.md tells when.
    pub grade: Option<Grade>,
    /// The reason why there is no grade; `None` if there is one.
    pub grade_reason: Option<Ungraded>,
    /// How much the target suffered, in milliseconds: the mean over its probes of how much later than
    /// at the best times they were answered (95th percentile of each minute or hour), where a probe without
    /// an answer counts as a second.
    pub suffered_ms: f64,
}

/// What was seen over time, in steps of one length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchLayer {
    /// The beginning of the first step, in seconds since 1970 (UTC).
    pub from_s: f64,
    /// The length of a step in seconds.
    pub step_s: f64,
    /// The steps of each target that is drawn, in the order of `drawn`.
    pub targets: Vec<WatchedSteps>,
    /// The mean rate that left in each step, in Mbit/s; `None` where it is not known.
    pub up_mbit: Vec<Option<f64>>,
    /// The mean rate that came in in each step, in Mbit/s; `None` where it is not known.
    pub down_mbit: Vec<Option<f64>>,
}

/// The steps of a target: each list has a value for each step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedSteps {
    /// Probes whose fate is known.
    pub sent: Vec<u64>,
    /// Probes among them that were answered after more than a second.
    pub late: Vec<u64>,
    /// Probes among them that nobody answered, or that failed.
    pub lost: Vec<u64>,
    /// Extra probes among those that were sent: only single seconds show them, and shares of a longer time
    /// leave them out.
    #[serde(default)]
    pub extra: Vec<u64>,
    /// Extra probes among those that were late.
    #[serde(default)]
    pub extra_late: Vec<u64>,
    /// Extra probes among those that were lost.
    #[serde(default)]
    pub extra_lost: Vec<u64>,
    /// The shortest round trip in milliseconds; `None` where nothing was answered.
    pub min_ms: Vec<Option<f64>>,
    /// The 10th percentile of the round trip in milliseconds; `None` where nothing was answered.
    pub p10_ms: Vec<Option<f64>>,
    /// The 25th percentile of the round trip in milliseconds; `None` where nothing was answered.
    pub p25_ms: Vec<Option<f64>>,
    /// The median round trip in milliseconds; `None` where nothing was answered.
    pub p50_ms: Vec<Option<f64>>,
    /// The 75th percentile of the round trip in milliseconds; `None` where nothing was answered.
    pub p75_ms: Vec<Option<f64>>,
    /// The 90th percentile of the round trip in milliseconds; `None` where nothing was answered.
    pub p90_ms: Vec<Option<f64>>,
    /// The longest round trip in milliseconds; `None` where nothing was answered.
    pub max_ms: Vec<Option<f64>>,
}

/// The number of spikes of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CauseCount {
    /// The cause.
    pub cause: SpikeCause,
    /// The spikes.
    pub spikes: u64,
    /// How long they took together, in seconds.
    pub total_s: f64,
    /// The spikes among them in which nearly nothing was answered: outages.
    #[serde(default)]
    pub outages: u64,
    /// The other spikes among them in which answers were missing, and none was notably late.
    #[serde(default)]
    pub only_losses: u64,
}

/// A day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedDay {
    /// The day in local time: `2026-11-27`.
    pub day: String,
    /// The grade of the delay that the own load added, by the 95th percentile over the time in which the
    /// line was loaded; `None` if it is not known well enough.
    pub grade: Option<Grade>,
    /// The reason why there is no grade; `None` if there is one.
    pub grade_reason: Option<Ungraded>,
    /// That delay in milliseconds; `None` if there is no grade.
    pub added_p95_ms: Option<f64>,
    /// The time in which the line was loaded, in seconds.
    pub loaded_s: f64,
    /// The spikes that began on this day.
    pub spikes: u64,
    /// The part of the probes to targets that nobody answered, 0 to 1; `None` without probes.
    pub loss: Option<f64>,
    /// For each hour of the day, 0 to 23, the 95th percentile of the round trip beyond the day's least
    /// usual one, in milliseconds; `None` where nothing was answered, and on a day without three minutes in
    /// which this machine did not load the line.
    pub hours_added_ms: Vec<Option<f64>>,
}

/// The time before a change beside the time after it: up to a week each, and up to the next change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchComparison {
    /// The change.
    pub change: WatchEvent,
    /// The time before.
    pub before: WatchedPeriod,
    /// The time after.
    pub after: WatchedPeriod,
}

/// A time on one side of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedPeriod {
    /// Its length in seconds.
    pub duration_s: f64,
    /// What came of the probes to all targets.
    #[serde(flatten)]
    pub counts: WatchedCounts,
    /// The delay beyond the usual one while the line was loaded, 95th percentile over time, in
    /// milliseconds; `None` if it was not loaded long enough.
    pub loaded_added_p95_ms: Option<f64>,
    /// Spikes in a day.
    pub spikes_per_day: f64,
}
