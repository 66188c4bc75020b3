//! What a table shows as a whole: is one column flat, does another grow along a straight line?

use results::ReproductionRow;

use crate::reproduce::fit::line;
use crate::reproduce::judge::{Place, agrees, differs};

/// The share of variance that a straight line explains in what we call linear.
const LINEAR: f64 = 0.98;

/// A column hardly depends on the row: the highest value over the lowest.
pub(super) fn flat(
    table: &str,
    what: &str,
    paper: &[f64],
    ours: &[f64],
    tolerance: f64,
) -> ReproductionRow {
    let metric = format!("{what}, highest / lowest");
    Place { table, row: "shape" }
        .figure(&metric, "", spread(paper), spread(ours))
        .within(tolerance, || differs(format!("{what} depends on the buffer")))
}

/// A round trip in seconds grows with the buffer in frames along a straight line: its slope, and
/// how straight it is.
pub(super) fn linear(
    table: &str,
    paper: &[(f64, f64)],
    ours: &[(f64, f64)],
    tolerance: f64,
    why: [&str; 2],
) -> [ReproductionRow; 2] {
    let [steeper, bent] = why;
    let (paper, ours) = (line(paper), line(ours));
    let place = Place { table, row: "shape" };
    let straight = place.figure("RTT against buffer, r\u{b2}", "", paper.fit, ours.fit);
    [
        place
            .figure("RTT per frame", "ms", paper.slope * 1e3, ours.slope * 1e3)
            .within(tolerance, || differs(steeper)),
        straight.with(if ours.fit >= LINEAR { agrees(None) } else { differs(bent) }),
    ]
}

/// The highest over the lowest.
fn spread(values: &[f64]) -> Option<f64> {
    let highest = values.iter().copied().reduce(f64::max)?;
    Some(highest / values.iter().copied().reduce(f64::min)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_column_spreads_by_one() {
        assert_eq!(spread(&[3.0, 3.0]), Some(1.0));
        assert_eq!(spread(&[2.0, 3.0, 1.0]), Some(3.0));
        assert_eq!(spread(&[]), None);
    }
}
