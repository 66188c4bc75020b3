//! Plots as SVG: a document of its own that is light on a light screen and dark on a dark one.
//!
//! The same figures give the same bytes on every machine.

mod aids;
mod axis;
mod boxes;
mod cells;
mod curve;
mod ellipse;
mod frame;
mod ink;
mod keys;
mod label;
mod legend;
mod measure;
mod names;
mod plot;
mod range;
mod sample;
mod style;
mod thin;
mod ticks;

use ink::Ink;
use keys::Keys;
use plot::Plot;

use crate::figure::Figure;

/// The width of a figure that has no other beside it, and of one that has.
const WIDE: f64 = 960.0;
const NARROW: f64 = 660.0;

/// How many figures stand one below the other; more stand in two columns.
const ONE_COLUMN: usize = 3;

/// `figures` on one sheet: one below the other, and from four on two in a row. A name has one
/// colour on the whole sheet.
///
/// ```
/// use report::{Axis, Curve, Figure};
///
/// let figure = Figure {
///     id: "delay".into(),
///     title: "Delay in the queue".into(),
///     explanation: "How long a packet waits: lower is better.".into(),
///     x: Axis::linear("Time", "s"),
///     y: Axis::linear("Sojourn time", "ms"),
///     curves: vec![Curve {
///         name: "fq_codel".into(),
///         x: vec![0.0, 1.0, 2.0],
///         y: vec![Some(4.0), None, Some(5.5)],
///         ..Curve::default()
///     }],
/// };
/// assert!(report::svg(&[figure]).starts_with("<svg xmlns="));
/// ```
pub fn svg(figures: &[Figure]) -> String {
    let columns = if figures.len() > ONE_COLUMN { 2 } else { 1 };
    let width = if columns == 1 { WIDE } else { NARROW };
    let mut keys = Keys::default();
    let plots: Vec<Plot<'_>> =
        figures.iter().map(|figure| Plot::new(figure, keys.of(figure), width)).collect();
    let mut body = Ink::default();
    let mut height = 0.0;
    for row in plots.chunks(columns) {
        // The frames of a row are level.
        let head = row.iter().map(Plot::head).fold(0.0, f64::max);
        for (index, plot) in row.iter().enumerate() {
            body.raw("<g transform=\"translate(").point((index as f64 * width, height));
            body.raw(")\">\n");
            plot.draw(&mut body, head);
            body.raw("</g>\n");
        }
        height += row.iter().map(|plot| plot.height(head)).fold(0.0, f64::max);
    }
    document(figures, columns as f64 * width, height, &body.into_text())
}

/// `body` on a ground of its own, with what is read out to those who do not see it.
fn document(figures: &[Figure], width: f64, height: f64, body: &str) -> String {
    let mut ink = Ink::default();
    let titles: Vec<&str> = figures.iter().map(|figure| &*figure.title).collect();
    let notes: Vec<&str> = figures.iter().map(|figure| &*figure.explanation).collect();
    ink.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"unbloat\" role=\"img\"");
    ink.attribute("width", width).attribute("height", height).raw(" viewBox=\"0 0 ");
    ink.point((width, height)).raw("\">\n");
    ink.raw("<title>").escaped(&titles.join("; ")).raw("</title>\n");
    ink.raw("<desc>").escaped(&notes.join(" ")).raw("</desc>\n");
    ink.raw("<style>\n").raw(&style::sheet(figures)).raw("</style>\n");
    ink.raw("<rect class=\"ground\"").attribute("width", width).attribute("height", height);
    ink.raw(" rx=\"8\"/>\n").raw(body).raw("</svg>\n");
    ink.into_text()
}

#[cfg(test)]
mod tests;
