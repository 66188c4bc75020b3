//! The table of a sweep, for the schema: [`Sweep`](crate::Sweep) reads it from the tree, where each
//! value still has its place.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// By the path of a field, as `--set` names it, its values; a key that names several paths,
/// separated by commas, varies them together, by lists of values.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Sweep")]
pub(crate) struct SweepFile(BTreeMap<String, AxisFile>);

/// One axis.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Axis")]
pub(crate) enum AxisFile {
    /// One value after the other.
    Values(#[schemars(length(min = 1))] Vec<serde_json::Value>),
    /// Whole numbers.
    Range(RangeFile),
    /// Where a path is written as TOML's dots have it.
    Deeper(BTreeMap<String, AxisFile>),
}

/// Whole numbers from `from` to `to`, in steps of `step`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Range")]
pub(crate) struct RangeFile {
    /// The first.
    from: i64,
    /// The last, or that below which the last is.
    to: i64,
    /// How far apart they are. Default: 1.
    step: Option<u32>,
}
