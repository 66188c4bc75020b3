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
    /// Delays side by side, below the grades.
    pub strip: Option<Strip>,
    /// The queues that can be watched, before the findings.
    pub queues: Option<QueueScene>,
    /// The places on the way of packets, from this end to the other one, below the grades.
    pub path: Vec<Place>,
    /// What to do about the findings, before the rest of them: the first list is for everybody.
    pub advice: Vec<CommandList>,
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
    /// True if the tables, the other plots and the notes are details for experts, which a page shows only when
    /// it is asked to.
    pub is_rest_folded: bool,
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
    /// The reason why there is no grade, in a sentence or two; empty if none is given.
    pub why: String,
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

/// Delays side by side, on one logarithmic axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Strip {
    /// Title of the strip: `Answer to ping`.
    pub title: String,
    /// Explanation of the bars, in a sentence.
    pub explanation: String,
    /// The bars, from the top.
    pub bars: Vec<StripBar>,
}

/// A delay: the bar goes from its median to its 95th percentile.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StripBar {
    /// Name of what has the delay: `fq_codel`.
    pub name: String,
    /// The median in milliseconds.
    pub p50_ms: f64,
    /// The 95th percentile in milliseconds.
    pub p95_ms: f64,
    /// The delay in words: `5.8 to 24 ms`.
    pub value: String,
}

/// Queues that can be watched side by side, at the same time of their runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueueScene {
    /// Title of the scene.
    pub title: String,
    /// Explanation of what can be seen, in some sentences.
    pub explanation: String,
    /// The factor by which time is slowed down.
    pub slowed: u64,
    /// The time of the run at which the scene begins, in seconds.
    pub from_s: f64,
    /// The length of the scene, in microseconds.
    pub length_us: i64,
    /// The moment that a still picture shows, in microseconds from the beginning.
    pub still_us: i64,
    /// The time that a full packet takes on the wire, in microseconds.
    pub packet_us: f64,
    /// Largest number of packets that wait at once in one of the queues.
    pub most: usize,
    /// The queues.
    pub queues: Vec<WatchedQueue>,
}

/// A queue whose packets are known one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WatchedQueue {
    /// Name of the queue.
    pub name: String,
    /// Description of what happens in the queue, in a sentence or two.
    pub caption: String,
    /// The packets, in the order in which they leave the queue.
    pub packets: Vec<WatchedPacket>,
}

/// A packet of a watched queue. Its times are in microseconds from the beginning of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WatchedPacket {
    /// The time at which it comes.
    pub offered_us: i64,
    /// The time at which it leaves.
    pub left_us: i64,
    /// True if somebody waits for it, and it is not of the load.
    pub is_other: bool,
    /// True if it is much shorter than a full packet.
    pub is_short: bool,
    /// True if the queue drops it.
    pub is_dropped: bool,
}

/// A place on the way of packets.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Place {
    /// Name of the place: `your router`.
    pub name: String,
    /// The address that answered there; empty if none did.
    pub address: String,
    /// What its queue adds to each direction; empty if it adds nothing.
    pub adds: Vec<Addition>,
}

/// What a queue adds to a direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Addition {
    /// The addition in words: `adds 130 ms to a download`.
    pub text: String,
    /// The grade of the addition; `None` if it has none.
    pub grade: Option<Grade>,
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
    /// Notes below the table.
    pub notes: Vec<String>,
}
