//! The record of one run.

use serde::{Deserialize, Serialize};

/// The record of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The number of the run in its sweep.
    pub run: u64,
    /// The values of the varied fields, field by field.
    pub values: Vec<String>,
    /// The error of a run that failed, which has no figures; `None` if the run succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The measured figures, named as by [`results::figures_of`]. A number is finite; `None` for a
    /// figure that the run does not have.
    pub figures: Vec<(String, Option<f64>)>,
}
