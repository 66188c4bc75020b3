//! What is kept of one run.

use serde::{Deserialize, Serialize};

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its number in the sweep.
    pub run: u64,
    /// What was varied, field by field.
    pub values: Vec<String>,
    /// Why it failed, if it did; then it has no figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was measured, as [`results::figures_of`] names it. A number is finite.
    pub figures: Vec<(String, Option<f64>)>,
}
