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

/// The highest value of each group of `group` steps, at the group's beginning.
pub(super) fn thinned(
    values: &[Option<f64>],
    group: usize,
    step: f64,
) -> impl Iterator<Item = (f64, Option<f64>)> {
    let highest = |values: &[Option<f64>]| values.iter().flatten().copied().reduce(f64::max);
    let at = move |(index, values)| ((index * group) as f64 * step, highest(values));
    values.chunks(group.max(1)).enumerate().map(at)
}
