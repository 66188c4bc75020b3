//! The table of links: one row for each direction that carried packets.

use results::Document;

use crate::congestion::{Place, places};
use crate::grade::tone;
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, millis, percent, significant};
use crate::setting::{is_shaped, queue_in_words};
use crate::style::Style;
use crate::text::listed;

const COLUMNS: [Column; 13] = [
    Column::name("link"),
    Column::name("queue"),
    Column::number("rate", "Mbit/s"),
    Column::number("used", "%"),
    Column::number("sojourn ms", "p50"),
    Column::number("sojourn ms", "p95"),
    Column::number("others", "wait ms"),
    Column::optional("", "grade"),
    Column::number("drops", "full"),
    Column::number("drops", "aqm"),
    Column::optional("drops", "acks"),
    Column::number("drops", "loss"),
    Column::number("", "marks"),
];

pub(crate) fn table(document: &Document, style: Style) -> String {
    if places(document).next().is_none() {
        return "No link carried a packet.\n".into();
    }
    grid(document).render(style)
}

/// The table: one row for each direction.
pub(crate) fn grid(document: &Document) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    places(document).for_each(|place| grid.row(row(&place)));
    let shaped = places(document).filter(|place| is_shaped(document, place));
    if let Some(note) = used_of_shaper(shaped.map(|place| place.label()).collect()) {
        grid.note(note);
    }
    grid
}

/// The note of a table about rows whose used part is that of a shaper's rate; `None` without any.
pub(crate) fn used_of_shaper(rows: Vec<String>) -> Option<String> {
    (!rows.is_empty())
        .then(|| format!("For {}, used is the part of the shaper's rate.", listed(rows)))
}

fn row(place: &Place<'_>) -> Vec<Cell> {
    let direction = place.direction;
    let (sojourn, drops) = (&direction.sojourn_ms, &direction.drops);
    let tone = direction.grade.map(tone).unwrap_or_default();
    vec![
        Cell::text(&place.label()),
        Cell::text(&queue_in_words(&direction.queue)),
        Cell::number(direction.rate_mbit, significant),
        Cell::number(direction.utilisation, percent),
        Cell::number(sojourn.p50, millis),
        Cell::number(sojourn.p95, millis),
        Cell::number(direction.others_wait_ms.p95, millis).tone(tone),
        Cell::number(direction.grade, |grade| grade.to_string()).tone(tone),
        Cell::number(Some(drops.full), count),
        Cell::number(Some(drops.aqm), count),
        // Only the filter of `cake` drops acknowledgements.
        Cell::number(Some(drops.ack_filter).filter(|&acks| acks > 0), count),
        Cell::number(Some(drops.loss), count),
        Cell::number(Some(direction.marks), count),
    ]
}
