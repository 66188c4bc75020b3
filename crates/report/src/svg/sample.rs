//! The values of a curve that can be drawn.

use crate::figure::{Curve, Figure, Scale};

/// Beyond this, or below its inverse, differences and quotients of values leave the range of numbers.
const LARGEST: f64 = 1e150;

/// One value of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// To the right.
    pub x: f64,
    /// Upwards; missing where the curve has a gap.
    pub y: Option<f64>,
    /// The lower edge of the range that it stands for.
    pub low: Option<f64>,
}

/// What of `curve` the scales of `figure` can show. A place that `x` cannot show is left out; a
/// value that `y` cannot show is missing; a lower edge that `y` cannot show is as low as can be.
pub(super) fn samples<'a>(
    figure: &Figure,
    curve: &'a Curve,
) -> impl Iterator<Item = Sample> + use<'a> {
    let (right, up) = (figure.x.scale, figure.y.scale);
    curve.x.iter().zip(&curve.y).enumerate().filter_map(move |(index, (x, y))| {
        let low = curve.low.get(index).copied().flatten().filter(|low| !low.is_nan());
        Some(Sample {
            x: shown(right, *x)?,
            y: y.and_then(|y| shown(up, y)),
            low: low.map(|low| bounded(up, low)),
        })
    })
}

/// `value`, if the scale has a place for it.
pub(super) fn shown(scale: Scale, value: f64) -> Option<f64> {
    let exists = value.is_finite() && (scale == Scale::Linear || value > 0.0);
    exists.then(|| bounded(scale, value))
}

/// The nearest number that we can reckon with.
fn bounded(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Log => value.clamp(1.0 / LARGEST, LARGEST),
        Scale::Linear if value.abs() < 1.0 / LARGEST => 0.0,
        Scale::Linear => value.clamp(-LARGEST, LARGEST),
    }
}
