//! Plots as SVG: a standalone document that is light on a light screen and dark on a dark one.
//!
//! The same figures give the same bytes on every machine.

mod axis;
mod boxes;
mod cells;
mod curve;
mod decimal;
mod downsample;
mod ellipse;
mod frame;
mod guides;
mod keys;
mod label;
mod legend;
mod measure;
mod names;
mod plot;
mod range;
mod sample;
mod style;
mod svg_writer;
mod ticks;

use keys::Keys;
use plot::Plot;
use svg_writer::SvgWriter;

use crate::figure::Figure;

/// The width of a figure in one column, and in two columns.
const WIDE: f64 = 960.0;
const NARROW: f64 = 660.0;

/// Largest number of figures in one column; more are in two columns.
const ONE_COLUMN: usize = 3;

/// `figures` on one sheet: one below the other, and from four on two in a row. A name has the same
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
        figures.iter().map(|figure| Plot::new(figure, keys.assign(figure), width)).collect();
    let mut body = SvgWriter::default();
    let mut height = 0.0;
    for row in plots.chunks(columns) {
        // The frames of a row begin at the same height.
        let head = row.iter().map(Plot::head).fold(0.0, f64::max);
        for (index, plot) in row.iter().enumerate() {
            body.raw("<g transform=\"translate(").point(index as f64 * width, height);
            body.raw(")\">\n");
            plot.draw(&mut body, head);
            body.raw("</g>\n");
        }
        height += row.iter().map(|plot| plot.height(head)).fold(0.0, f64::max);
    }
    document(figures, columns as f64 * width, height, &body.into_text())
}

/// The document: `body` on its background, with title and description for screen readers.
fn document(figures: &[Figure], width: f64, height: f64, body: &str) -> String {
    let mut svg = SvgWriter::default();
    let titles: Vec<&str> = figures.iter().map(|figure| &*figure.title).collect();
    let notes: Vec<&str> = figures.iter().map(|figure| &*figure.explanation).collect();
    svg.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"unbloat\" role=\"img\"");
    svg.attribute("width", width).attribute("height", height).raw(" viewBox=\"0 0 ");
    svg.point(width, height).raw("\">\n");
    svg.raw("<title>").escaped(&titles.join("; ")).raw("</title>\n");
    svg.raw("<desc>").escaped(&notes.join(" ")).raw("</desc>\n");
    svg.raw("<style>\n").raw(&style::sheet(figures)).raw("</style>\n");
    svg.raw("<rect class=\"ground\"").attribute("width", width).attribute("height", height);
    svg.raw(" rx=\"8\"/>\n").raw(body).raw("</svg>\n");
    svg.into_text()
}

#[cfg(test)]
mod tests;
