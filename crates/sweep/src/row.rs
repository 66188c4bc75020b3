//! The record of one run.

use serde::{Deserialize, Serialize};

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its number in the sweep.
    pub run: u64,
    /// The values of the varied fields, field by field.
    pub values: Vec<String>,
    /// The error if the run failed; then it has no figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The measured figures, named as by [`results::figures_of`]. A number is finite.
    pub figures: Vec<(String, Option<f64>)>,
}
