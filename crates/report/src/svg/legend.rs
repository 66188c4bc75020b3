//! The legend: names with their colours and marks.

use super::measure::{shorten, width};
use super::svg_writer::SvgWriter;
use crate::figure::{Figure, Mark};

/// The font size of names.
const SIZE: f64 = 13.0;

/// The distance from one row to the next.
const ROW: f64 = 22.0;

/// The width of the sign before a name, and of the gap after it.
const SIGN: f64 = 22.0;
const GAP: f64 = 22.0;

/// The longest name, in pixels.
const LONGEST: f64 = 330.0;

/// Largest number of rows; names that do not fit are counted.
const ROWS: usize = 4;

/// The names of a figure in rows.
#[derive(Debug, Default)]
pub(super) struct Legend {
    entries: Vec<Entry>,
    rows: usize,
}

/// A name and its place.
#[derive(Debug)]
struct Entry {
    name: String,
    key: Option<usize>,
    marks: Vec<Mark>,
    x: f64,
    row: usize,
}

impl Legend {
    /// The legend of a figure whose names have these `keys`, `limit` pixels wide.
    pub(super) fn new(figure: &Figure, keys: &[(&str, usize)], limit: f64) -> Self {
        let is_named = |name: &str| !name.is_empty() && !marks(figure, name).is_empty();
        let named: Vec<_> = keys.iter().filter(|(name, _)| is_named(name)).collect();
        let mut legend = Legend::default();
        let mut x = 0.0;
        for (index, (name, key)) in named.iter().enumerate() {
            let name = shorten(name, SIZE, LONGEST.min(limit - SIGN));
            let taken = SIGN + width(&name, SIZE);
            if x > 0.0 && x + taken > limit {
                (x, legend.rows) = (0.0, legend.rows + 1);
            }
            if legend.rows == ROWS {
                legend.rest(named.len() - index);
                break;
            }
            let marks = marks(figure, named[index].0);
            legend.entries.push(Entry { name, key: Some(*key), marks, x, row: legend.rows });
            x += taken + GAP;
        }
        legend.rows = legend.entries.last().map_or(0, |entry| entry.row + 1);
        legend
    }

    /// The height of the legend, in pixels.
    pub(super) fn height(&self) -> f64 {
        self.rows as f64 * ROW
    }

    /// Draws the legend below and to the right of (`left`, `top`).
    pub(super) fn draw(&self, svg: &mut SvgWriter, left: f64, top: f64) {
        svg.raw("<g class=\"legend\">\n");
        for entry in &self.entries {
            let (x, base) = (left + entry.x, top + entry.row as f64 * ROW + 15.0);
            let Some(key) = entry.key else {
                svg.text("note", x, base, &entry.name);
                continue;
            };
            svg.raw("<g class=\"").raw(&key_class(key)).raw("\">\n");
            for mark in &entry.marks {
                sign(svg, *mark, is_second_round(key), x, base - 4.5);
            }
            svg.raw("</g>\n").text("name", x + SIGN, base, &entry.name);
        }
        svg.raw("</g>\n");
    }

    /// Adds a row with the number of the names that are left out.
    fn rest(&mut self, count: usize) {
        let name = format!("… and {count} more");
        self.entries.push(Entry { name, key: None, marks: Vec::new(), x: 0.0, row: self.rows });
    }
}

/// True if the colour is used for the second time, and distinguished by dashes and rings.
pub(super) fn is_second_round(key: usize) -> bool {
    key / 8 % 2 == 1
}

/// The classes that give a curve its colour.
pub(super) fn key_class(key: usize) -> String {
    let dashes = if is_second_round(key) { " dashed" } else { "" };
    format!("k{}{dashes}", key % 8)
}

/// The marks of the curves of a name, those that fill areas first. A map has a bar in place of a
/// sign, and an ellipse around dots needs no second sign.
fn marks(figure: &Figure, name: &str) -> Vec<Mark> {
    let curves = || figure.curves.iter().filter(|curve| curve.name == name);
    let has = |mark: &Mark| curves().any(|curve| curve.mark == *mark);
    let all = [
        Mark::Band,
        Mark::Box,
        Mark::Line,
        Mark::Steps,
        Mark::Strokes,
        Mark::LinePoints,
        if has(&Mark::Points) { Mark::Points } else { Mark::Ellipse },
    ];
    all.into_iter().filter(has).collect()
}

/// Draws the sign of a mark before the name: 16 pixels wide, around the height `y`.
fn sign(svg: &mut SvgWriter, mark: Mark, rings: bool, x: f64, y: f64) {
    let dot = |svg: &mut SvgWriter| {
        for class in ["dots", "core"].into_iter().take(if rings { 2 } else { 1 }) {
            svg.raw("<path class=\"").raw(class).raw("\" d=\"M").point(x + 8.0, y);
            svg.raw("h0\"/>\n");
        }
    };
    match mark {
        Mark::Line | Mark::Steps | Mark::Strokes => {
            svg.line("line key", (x + 1.5, y), (x + 14.5, y));
        }
        Mark::LinePoints => {
            svg.line("line key", (x + 1.5, y), (x + 14.5, y));
            dot(svg);
        }
        Mark::Points | Mark::Ellipse => dot(svg),
        Mark::Box => {
            svg.raw("<path class=\"box\" d=\"M").point(x + 2.5, y - 5.5);
            svg.raw("h11v11h-11Z\"/>\n<path class=\"median\" d=\"M").point(x + 2.5, y + 1.0);
            svg.raw("h11\"/>\n");
        }
        Mark::Span | Mark::Guide => {}
        Mark::Band | Mark::Cells => {
            svg.raw("<rect class=\"range key\"").attribute("x", x).attribute("y", y - 5.0);
            svg.raw(" width=\"16\" height=\"10\" rx=\"2\"/>\n");
        }
    }
}
