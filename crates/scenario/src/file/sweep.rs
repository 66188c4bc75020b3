//! The table of a sweep, for the schema: [`Sweep`](crate::Sweep) reads it from the tree, where each
//! value still has its place.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The values of fields, by the path of the field as `--set` names it. A key that names several
/// paths, separated by commas, varies them together, by lists of values.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Sweep")]
pub(crate) struct SweepFile(BTreeMap<String, AxisFile>);

/// An axis of the sweep.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Axis")]
pub(crate) enum AxisFile {
    /// A list of values, one for each point.
    Values(#[schemars(length(min = 1))] Vec<serde_json::Value>),
    /// Numbers from one to another.
    Range(RangeFile),
    /// The rest of a path that is written with the dots of TOML.
    Deeper(BTreeMap<String, AxisFile>),
}

/// Numbers from `from` to `to`, in steps of `step`, or by a factor: `step = "x2"`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Range")]
pub(crate) struct RangeFile {
    /// The first number.
    from: AmountFile,
    /// The last number, or a bound which the last number does not exceed.
    to: AmountFile,
    /// The step from one number to the next, or `"x2"` for twice as much each time. Default, of
    /// whole numbers: 1.
    step: Option<AmountFile>,
}

/// A bound of a range, or a step.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Amount")]
pub(crate) enum AmountFile {
    /// A whole number.
    Whole(i64),
    /// A rate, a time or a size with its unit.
    Quantity(String),
}
