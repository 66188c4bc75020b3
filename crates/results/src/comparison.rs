//! Several queues at the same place, one run for each.

use serde::{Deserialize, Serialize};

use crate::{Document, Version};

/// The output of `unbloat sim --compare --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// `"unbloat.comparison"`; reading anything else is an error.
    pub schema: ComparisonSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The direction whose queue was replaced: a link's name and `.forward` or `.reverse`.
    pub link: String,
    /// Runs, one a queue, in the order in which the queues were asked for.
    pub runs: Vec<ComparedRun>,
    /// Queues that were not run because of an interrupt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ComparisonSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.comparison")]
    Comparison,
}

/// The run with one queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedRun {
    /// The queue as it was asked for.
    pub queue: String,
    /// The result of the run.
    pub result: Document,
}
