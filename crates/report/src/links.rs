//! The table of links: one row for each direction that carried packets.

use results::{Document, Grade};

use crate::congestion::{Place, places};
use crate::grade::tone;
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, millis, percent, significant};
use crate::style::Style;

const COLUMNS: [Column; 11] = [
    Column::name("link"),
    Column::name("queue"),
    Column::number("rate", "Mbit/s"),
    Column::number("used", "%"),
    Column::number("sojourn ms", "p50"),
    Column::number("sojourn ms", "p95"),
    Column::number("sojourn ms", "max"),
    Column::number("drops", "full"),
    Column::number("drops", "aqm"),
    Column::number("drops", "loss"),
    Column::number("", "marks"),
];

pub(crate) fn table(document: &Document, style: Style) -> String {
    if places(document).next().is_none() {
        return "No link carried a packet.\n".into();
    }
    grid(document).render(style)
}

/// One row a direction.
pub(crate) fn grid(document: &Document) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    places(document).for_each(|place| grid.row(row(&place)));
    grid
}

fn row(place: &Place<'_>) -> Vec<Cell> {
    let direction = place.direction;
    let (sojourn, drops) = (&direction.sojourn_ms, &direction.drops);
    let graded = |value: Option<f64>| {
        let tone = value.map(|ms| tone(Grade::of(ms))).unwrap_or_default();
        Cell::number(value, millis).tone(tone)
    };
    vec![
        Cell::text(&place.label()),
        Cell::text(&direction.queue),
        Cell::number(direction.rate_mbit, significant),
        Cell::number(direction.utilisation, percent),
        graded(sojourn.p50),
        graded(sojourn.p95),
        graded(sojourn.max),
        Cell::number(Some(drops.full), count),
        Cell::number(Some(drops.aqm), count),
        Cell::number(Some(drops.loss), count),
        Cell::number(Some(direction.marks), count),
    ]
}
