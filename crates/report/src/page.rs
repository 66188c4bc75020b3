//! What a report says and shows, before it is drawn.

use serde::Serialize;

use crate::figure::Figure;

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Page {
    /// What it is about, in a few words.
    pub title: String,
    /// What was found, in sentences; on top.
    pub verdict: Vec<String>,
    /// Figures to read, before those to look at.
    pub tables: Vec<Table>,
    /// Figures to look at.
    pub figures: Vec<Figure>,
    /// All figures over time are of the same time, so that they are zoomed and pointed at together.
    pub one_clock: bool,
    /// What one may want to know further: how it was made, what was left out.
    pub notes: Vec<String>,
}

/// Rows under a head; cells are text, as people read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// In a sentence or two for someone who is no expert.
    pub explanation: String,
    /// One a column, its unit included: `sojourn p95 (ms)`.
    pub head: Vec<String>,
    /// One cell a column.
    pub rows: Vec<Vec<String>>,
}
