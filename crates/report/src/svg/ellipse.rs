//! The drawing of an ellipse around a cloud of points.

use super::axis::Axes;
use super::sample::{CurveSample, shown};
use super::svg_writer::SvgWriter;
use crate::figure::{Axis as Values, Curve, Scale};

/// Number of straight lines of which the edge is made.
const CORNERS: u32 = 72;

/// The values on the edge of the ellipse of a curve; empty if it has none that can be drawn.
pub(super) fn edge(curve: &Curve, x: &Values, y: &Values) -> Vec<(f64, f64)> {
    let Some([across, up, long, short, angle]) = curve.ellipse else { return Vec::new() };
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let corner = |corner: u32| {
        let turn = f64::from(corner) / f64::from(CORNERS) * std::f64::consts::TAU;
        let (along, aside) = (long * libm::cos(turn), short * libm::sin(turn));
        let place = (across + along * cosine - aside * sine, up + along * sine + aside * cosine);
        Some((value(place.0, x.scale)?, value(place.1, y.scale)?))
    };
    (0..CORNERS).map(corner).collect::<Option<_>>().unwrap_or_default()
}

/// The value at a place of the scale, which is its logarithm on a logarithmic one; `None` if it
/// cannot be shown.
fn value(place: f64, scale: Scale) -> Option<f64> {
    match scale {
        Scale::Linear => shown(scale, place),
        Scale::Log => shown(scale, libm::pow(10.0, place)),
    }
}

/// Draws the edge through these values, and the dot in it.
pub(super) fn draw(
    svg: &mut SvgWriter,
    edge: &[(f64, f64)],
    samples: &[CurveSample],
    axes: Axes<'_>,
) {
    let Axes { x, y } = axes;
    if !edge.is_empty() {
        for class in ["band", "line"] {
            svg.raw("<path class=\"").raw(class).raw("\" d=\"M");
            for (index, corner) in edge.iter().enumerate() {
                svg.raw(if index > 0 { " " } else { "" })
                    .point(x.place(corner.0), y.place(corner.1));
            }
            svg.raw("Z\"/>\n");
        }
    }
    for (right, up) in samples.iter().filter_map(|sample| Some((sample.x, sample.y?))) {
        for class in ["halo", "dots"] {
            svg.raw("<path class=\"").raw(class).raw("\" d=\"M");
            svg.point(x.place(right), y.place(up)).raw("h0\"/>\n");
        }
    }
}
