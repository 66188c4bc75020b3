//! The contents of a page, before it is drawn.

use results::{Grade, Step};
use serde::Serialize;

use crate::figure::Figure;

/// The contents of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Page {
    /// Subject of the page, in a few words.
    pub title: String,
    /// The findings in sentences, at the top.
    pub verdict: Vec<String>,
    /// The grades, side by side, below the verdict.
    pub cards: Vec<Card>,
    /// The places on the way of packets, from this end to the other one, below the grades.
    pub path: Vec<Place>,
    /// The rest of the findings, before the commands.
    pub findings: Vec<Prose>,
    /// The commands to be copied, before the tables.
    pub commands: Vec<CommandList>,
    /// The tables.
    pub tables: Vec<PageTable>,
    /// The plots.
    pub figures: Vec<Figure>,
    /// The number of plots that stand before the tables.
    pub first_figures: usize,
    /// True if all figures over time share the same time, so that zoom and pointer apply to all of
    /// them.
    pub one_clock: bool,
    /// Further notes, such as how the results were made, and what was left out.
    pub notes: Vec<String>,
}

/// A grade with what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Card {
    /// Title of the card: `Before`.
    pub title: String,
    /// The grade; `None` if there is none.
    pub grade: Option<Grade>,
    /// The figures of the card.
    pub badges: Vec<Badge>,
}

/// A figure with its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Badge {
    /// Name of the figure: `game`.
    pub name: String,
    /// The figure with its unit: `answers after 1.05 s`.
    pub value: String,
    /// The grade that the figure would have alone; `None` if it has none.
    pub grade: Option<Grade>,
}

/// A place on the way of packets.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Place {
    /// Name of the place: `your router`.
    pub name: String,
    /// The address that answered there; empty if none did.
    pub address: String,
    /// What its queue adds, a sentence for each direction; empty if it adds nothing.
    pub adds: Vec<String>,
}

/// Sentences under a title.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Prose {
    /// The title.
    pub title: String,
    /// The paragraphs.
    pub paragraphs: Vec<String>,
}

/// Commands under a title, each with a button that copies it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CommandList {
    /// Title of the list.
    pub title: String,
    /// True for a list that a page shows only when it is asked to.
    pub folded: bool,
    /// The steps, in their order. One without commands is a sentence.
    pub steps: Vec<Step>,
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
