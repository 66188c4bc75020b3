//! The contents of a page, before it is drawn.

use serde::Serialize;

use crate::figure::Figure;

/// The contents of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Page {
    /// Subject of the page, in a few words.
    pub title: String,
    /// The findings in sentences, at the top.
    pub verdict: Vec<String>,
    /// The tables, before the plots.
    pub tables: Vec<PageTable>,
    /// The plots.
    pub figures: Vec<Figure>,
    /// True if all figures over time share the same time, so that zoom and pointer apply to all of
    /// them.
    pub one_clock: bool,
    /// Further notes, such as how the results were made, and what was left out.
    pub notes: Vec<String>,
}

/// A table: rows under a head. Each cell is a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PageTable {
    /// Title of the table.
    pub title: String,
    /// Explanation of the table, in a sentence or two for readers who are not experts.
    pub explanation: String,
    /// True for details for experts, which a page shows only when it is asked to.
    pub folded: bool,
    /// The heading of each column, unit included: `sojourn p95 (ms)`.
    pub head: Vec<String>,
    /// The rows, with one cell for each column.
    pub rows: Vec<Vec<String>>,
}
