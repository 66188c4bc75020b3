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
