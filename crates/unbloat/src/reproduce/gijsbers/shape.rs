//! What a table shows as a whole: is one column flat, does another grow along a straight line?

use results::ReproductionRow;

use super::judge::{Place, agrees, differs};

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

/// A straight line through points, by least squares.
struct Line {
    slope: f64,
    /// The share of the variance that it explains.
    fit: f64,
}

fn line(points: &[(f64, f64)]) -> Line {
    let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|(x, y)| of(*x, *y)).sum::<f64>();
    let count = points.len() as f64;
    let (x, y) = (sum(&|x, _| x) / count, sum(&|_, y| y) / count);
    let xx = sum(&|px, _| (px - x) * (px - x));
    let xy = sum(&|px, py| (px - x) * (py - y));
    let yy = sum(&|_, py| (py - y) * (py - y));
    Line { slope: xy / xx, fit: xy * xy / (xx * yy) }
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
    fn a_line_through_points() {
        let exact = line(&[(0.0, 1.0), (1.0, 3.0), (3.0, 7.0)]);
        assert!((exact.slope - 2.0).abs() < 1e-12 && (exact.fit - 1.0).abs() < 1e-12);
        // By hand: means 1 and 2/3, sums 2, 1 and 2/3.
        let rough = line(&[(0.0, 0.0), (1.0, 1.0), (2.0, 1.0)]);
        assert!((rough.slope - 0.5).abs() < 1e-12 && (rough.fit - 0.75).abs() < 1e-12);
    }

    #[test]
    fn a_flat_column_spreads_by_one() {
        assert_eq!(spread(&[3.0, 3.0]), Some(1.0));
        assert_eq!(spread(&[2.0, 3.0, 1.0]), Some(3.0));
        assert_eq!(spread(&[]), None);
    }
}
