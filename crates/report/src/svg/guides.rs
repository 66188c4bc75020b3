//! The drawing of aids to read a plot: named parts of it, and lines for comparison.

use super::axis::{Axes, Axis};
use super::frame::Frame;
use super::measure::width;
use super::sample::CurveSample;
use super::svg_writer::SvgWriter;
use crate::figure::Curve;

/// The font size of the names.
const NAME: f64 = 12.0;

/// Draws a shade from the first sample to the last, and from the bottom to the top, with its name
/// above it if there is room.
pub(super) fn span(
    svg: &mut SvgWriter,
    of: &Curve,
    samples: &[CurveSample],
    x: &Axis,
    frame: &Frame,
) {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return };
    let (left, right) = (x.place(first.x), x.place(last.x));
    svg.raw("<rect class=\"span\"").attribute("x", left).attribute("y", frame.top);
    svg.attribute("width", right - left).attribute("height", frame.bottom - frame.top);
    svg.raw("/>\n");
    if width(&of.name, NAME) + 8.0 <= right - left {
        svg.text("tick middle", (left + right) / 2.0, frame.top - 6.0, &of.name);
    }
}

/// Draws a line along the samples, with its name at the end if there is room.
pub(super) fn guide(
    svg: &mut SvgWriter,
    of: &Curve,
    samples: &[CurveSample],
    axes: Axes<'_>,
    frame: &Frame,
) {
    let Axes { x, y } = axes;
    let places = samples.iter().filter_map(|sample| Some((x.place(sample.x), y.place(sample.y?))));
    let places: Vec<(f64, f64)> = places.collect();
    for pair in places.windows(2) {
        svg.line("guide", pair[0], pair[1]);
    }
    let [.., before, end] = places[..] else { return };
    // The name is beside a line that ends at the top, and above one that ends at the right.
    let near_top = end.1 - frame.top < NAME + 4.0;
    let slope = (before.1 - end.1) / (end.0 - before.0).max(1.0);
    let (left, down) = match near_top {
        true => ((NAME + 8.0) / slope.max(0.1) + 4.0, NAME + 2.0),
        false => (4.0, -5.0),
    };
    if end.0 - left - width(&of.name, NAME) > frame.left {
        svg.text("tick end", end.0 - left, end.1 + down, &of.name);
    }
}
