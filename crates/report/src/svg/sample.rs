//! The values of a curve that can be drawn.

use crate::figure::{Curve, Figure, Scale};

/// Largest value: beyond it, or below its inverse, differences and quotients of values could
/// overflow.
const LARGEST: f64 = 1e150;

/// A value of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CurveSample {
    /// The horizontal value.
    pub x: f64,
    /// The vertical value; `None` where the curve has a gap.
    pub y: Option<f64>,
    /// The lower edge; `None` unless the sample is a range.
    pub low: Option<f64>,
}

/// The samples of `curve` that the scales of `figure` can show. A sample whose `x` cannot be shown
/// is left out; a value of `y` that cannot be shown is `None`; a lower edge that cannot be shown is
/// as low as possible.
pub(super) fn samples<'a>(
    figure: &Figure,
    curve: &'a Curve,
) -> impl Iterator<Item = CurveSample> + use<'a> {
    let (right, up) = (figure.x.scale, figure.y.scale);
    curve.x.iter().zip(&curve.y).enumerate().filter_map(move |(index, (x, y))| {
        let low = curve.low.get(index).copied().flatten().filter(|low| !low.is_nan());
        Some(CurveSample {
            x: shown(right, *x)?,
            y: y.and_then(|y| shown(up, y)),
            low: low.map(|low| bounded(up, low)),
        })
    })
}

/// `value`, bounded; `None` if the scale cannot show it.
pub(super) fn shown(scale: Scale, value: f64) -> Option<f64> {
    let exists = value.is_finite() && (scale == Scale::Linear || value > 0.0);
    exists.then(|| bounded(scale, value))
}

/// The nearest number with which the scale can compute.
fn bounded(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Log => value.clamp(1.0 / LARGEST, LARGEST),
        Scale::Linear if value.abs() < 1.0 / LARGEST => 0.0,
        Scale::Linear => value.clamp(-LARGEST, LARGEST),
    }
}
