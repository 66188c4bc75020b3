//! Curves through points, by least squares.

/// A straight line.
pub(crate) struct Line {
    pub(crate) slope: f64,
    /// The share of the variance that the line explains, from 0 to 1.
    pub(crate) fit: f64,
}

/// The straight line nearest to the points. At least two points must have different `x`.
pub(crate) fn line(points: &[(f64, f64)]) -> Line {
    let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|(x, y)| of(*x, *y)).sum::<f64>();
    let count = points.len() as f64;
    let (x, y) = (sum(&|x, _| x) / count, sum(&|_, y| y) / count);
    let xx = sum(&|px, _| (px - x) * (px - x));
    let xy = sum(&|px, py| (px - x) * (py - y));
    let yy = sum(&|_, py| (py - y) * (py - y));
    Line { slope: xy / xx, fit: xy * xy / (xx * yy) }
}

/// The power of x with which y grows: the slope between the logarithms of positive points.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs = points.iter().map(|(x, y)| (libm::log(*x), libm::log(*y)));
    line(&logs.collect::<Vec<_>>()).slope
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
    fn the_exponent_of_a_power() {
        let square = [1.0, 2.0, 10.0].map(|x| (x, 3.0 * x * x));
        assert!((exponent(&square) - 2.0).abs() < 1e-12);
        assert!((exponent(&square.map(|(x, y)| (y, x))) - 0.5).abs() < 1e-12);
    }
}
