//! Several queues in the same place, one run each.

use serde::{Deserialize, Serialize};

use crate::{Document, Version};

/// What `unbloat sim --compare --json` yields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// `"unbloat.comparison"`; reading anything else is an error.
    pub schema: ComparisonSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// Whose queue was replaced: a link's name and `.forward` or `.reverse`.
    pub link: String,
    /// One entry a queue, in the order in which they were asked for.
    pub runs: Vec<ComparedRun>,
    /// Queues that an interrupt left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComparisonSchema {
    /// The only one there is.
    #[default]
    #[serde(rename = "unbloat.comparison")]
    Comparison,
}

/// What came of one queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedRun {
    /// As it was asked for.
    pub queue: String,
    /// The run.
    pub result: Document,
}
