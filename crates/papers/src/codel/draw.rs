//! Helpers that the figures of this paper share.

use report::{Curve, Mark};

/// A curve through these points.
pub(super) fn curve(
    name: &str,
    mark: Mark,
    points: impl IntoIterator<Item = (f64, Option<f64>)>,
) -> Curve {
    let (x, y) = points.into_iter().unzip();
    Curve { name: name.into(), mark, x, y, ..Curve::default() }
}

/// The median. `None` without values.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}
