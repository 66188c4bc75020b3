//! The directions of connections as a table, with a verdict on the worst one.

use results::{Capture, CapturedWaits, QueueOwner};

use super::probes::probes;
use super::sender::{Sender, senders};
use super::verdict::verdict;
use crate::grade;
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, millis, percent, significant, things};
use crate::style::{Style, Tone};
use crate::text::wrap;

/// The most rows: a screen.
const ROWS: usize = 20;

const COLUMNS: [Column; 9] = [
    Column::name("from"),
    Column::name("to"),
    Column::number("goodput", "Mbit/s"),
    Column::number("sent again", "%"),
    Column::number("round trip ms", "least"),
    Column::number("round trip ms", "p50"),
    Column::number("round trip ms", "p95"),
    Column::name("queue"),
    Column::name("grade"),
];

/// The connections of a capture: a verdict, and a row for each direction with data.
pub fn captured_table(capture: &Capture, style: Style) -> String {
    let senders = senders(capture);
    let mut text = wrap(&heading(capture)) + "\n\n";
    if !senders.is_empty() {
        text += &grid(&senders).render(style);
        text.push('\n');
    }
    let verdict = verdict(capture, &senders);
    verdict.iter().for_each(|sentence| text += &format!("{}\n", wrap(sentence)));
    for (title, _, grid) in probes(capture) {
        text += &format!("\n{title}\n{}", grid.render(style));
    }
    text
}

/// A row for each of the first directions.
pub(super) fn grid(senders: &[Sender<'_>]) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    senders.iter().take(ROWS).for_each(|sender| grid.row(cells(sender)));
    let more = senders.len().saturating_sub(ROWS);
    if more > 0 {
        grid.note(format!("and {} more: --long or --json prints all", count(more as u64)));
    }
    grid
}

pub(super) fn heading(capture: &Capture) -> String {
    let name = match capture.file.as_str() {
        "-" => "standard input".into(),
        file => crate::text::printable(file),
    };
    format!(
        "{name}: {}, {}",
        things(capture.packets, "packet"),
        things(capture.connections.len() as u64, "TCP connection")
    )
}

fn cells(sender: &Sender<'_>) -> Vec<Cell> {
    let this = sender.this;
    let [from, to] = sender.names();
    let waits = this.queue.as_ref().map_or_else(CapturedWaits::default, |queue| queue.waits);
    vec![
        Cell::text(&from),
        Cell::text(&to),
        Cell::number(sender.goodput(), significant),
        Cell::number(sender.sent_again(), percent),
        Cell::number(waits.least_ms, millis),
        Cell::number(waits.p50_ms, millis),
        Cell::number(waits.p95_ms, millis),
        queue(sender),
        graded(sender),
    ]
}

fn queue(sender: &Sender<'_>) -> Cell {
    let Some(queue) = &sender.this.queue else { return Cell::text("") };
    let tone = queue.grade.map_or(Tone::Plain, grade::tone);
    let text = match queue.whose {
        QueueOwner::Own => "its own",
        QueueOwner::Other => "another",
        QueueOwner::None => "none",
        QueueOwner::Unknown if queue.added_p95_ms.is_some() => "not known",
        QueueOwner::Unknown => "",
    };
    Cell::text(text).tone(tone)
}

/// The grade; nothing where there is none.
fn graded(sender: &Sender<'_>) -> Cell {
    match sender.grade() {
        Some(grade) => Cell::text(grade.name()).tone(grade::tone(grade)),
        None => Cell::text("–"),
    }
}
