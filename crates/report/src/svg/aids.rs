//! What helps to read a plot: named parts of it, and lines to compare with.

use super::axis::Axis;
use super::frame::Frame;
use super::ink::Ink;
use super::measure::width;
use super::sample::Sample;
use crate::figure::Curve;

/// The font size of their names.
const NAME: f64 = 12.0;

/// From the first sample to the last, and from the bottom to the top; named above it if there is
/// room.
pub(super) fn span(ink: &mut Ink, of: &Curve, samples: &[Sample], x: &Axis, frame: &Frame) {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return };
    let (left, right) = (x.place(first.x), x.place(last.x));
    ink.raw("<rect class=\"span\"").attribute("x", left).attribute("y", frame.top);
    ink.attribute("width", right - left).attribute("height", frame.bottom - frame.top);
    ink.raw("/>\n");
    if width(&of.name, NAME) + 8.0 <= right - left {
        ink.text("tick middle", (left + right) / 2.0, frame.top - 6.0, &of.name);
    }
}

/// Along the samples, its name above the end if there is room.
pub(super) fn guide(
    ink: &mut Ink,
    of: &Curve,
    samples: &[Sample],
    (x, y): (&Axis, &Axis),
    frame: &Frame,
) {
    let places = samples.iter().filter_map(|sample| Some((x.place(sample.x), y.place(sample.y?))));
    let places: Vec<(f64, f64)> = places.collect();
    for pair in places.windows(2) {
        ink.line("guide", pair[0], pair[1]);
    }
    let [.., before, end] = places[..] else { return };
    // Beside a line that ends at the top; above one that ends at the right.
    let near_top = end.1 - frame.top < NAME + 4.0;
    let slope = (before.1 - end.1) / (end.0 - before.0).max(1.0);
    let (left, down) = match near_top {
        true => ((NAME + 8.0) / slope.max(0.1) + 4.0, NAME + 2.0),
        false => (4.0, -5.0),
    };
    if end.0 - left - width(&of.name, NAME) > frame.left {
        ink.text("tick end", end.0 - left, end.1 + down, &of.name);
    }
}
