//! Clouds of points as ellipses, which show place, spread and correlation.

use stats::median;

use crate::figure::{Curve, Mark, Scale};

/// The ellipse of one standard deviation around the mean of `points`, in the form of
/// [`Curve::ellipse`], on axes of these scales: the contour of the normal distribution that makes
/// the points most likely, RFC 7928 section 2.7. `None` for fewer than three points. Points that a
/// scale cannot show do not count.
pub fn ellipse_of(points: &[(f64, f64)], scales: (Scale, Scale)) -> Option<[f64; 5]> {
    let points: Vec<(f64, f64)> =
        shown(points, scales).map(|(x, y)| (even(x, scales.0), even(y, scales.1))).collect();
    if points.len() < 3 {
        return None;
    }
    let mean =
        |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
    let (across, up) = (
        mean(&|point| (point.0 - x) * (point.0 - x)),
        mean(&|point| (point.1 - y) * (point.1 - y)),
    );
    let both = mean(&|point| (point.0 - x) * (point.1 - y));
    // The eigenvalues of the covariance matrix are the squares of the half axes.
    let (middle, half) = ((across + up) / 2.0, (across - up) / 2.0);
    let reach = (half * half + both * both).sqrt();
    let angle = libm::atan2(both, half) / 2.0;
    Some([x, y, (middle + reach).sqrt(), (middle - reach).max(0.0).sqrt(), angle])
}

/// The points of one colour as dots, and their ellipse with a dot at their medians.
pub fn cloud(name: &str, points: &[(f64, f64)], scales: (Scale, Scale)) -> Vec<Curve> {
    let mut points: Vec<(f64, f64)> = shown(points, scales).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let x: Vec<f64> = points.iter().map(|point| point.0).collect();
    let mut y: Vec<f64> = points.iter().map(|point| point.1).collect();
    let curve = |mark, x, y| Curve { name: name.into(), mark, x, y, ..Curve::default() };
    let dots = curve(Mark::Points, x.clone(), y.iter().copied().map(Some).collect());
    let Some(ellipse) = ellipse_of(&points, scales) else { return vec![dots] };
    y.sort_by(f64::total_cmp);
    let medians = (median(&x), median(&y));
    let contour = curve(Mark::Ellipse, medians.0.into_iter().collect(), vec![medians.1]);
    vec![dots, Curve { ellipse: Some(ellipse), ..contour }]
}

/// The points that these scales can show.
fn shown(points: &[(f64, f64)], scales: (Scale, Scale)) -> impl Iterator<Item = (f64, f64)> {
    let has_place =
        |value: f64, scale| value.is_finite() && (scale == Scale::Linear || value > 0.0);
    let both = move |(x, y): &(f64, f64)| has_place(*x, scales.0) && has_place(*y, scales.1);
    points.iter().copied().filter(both)
}

fn even(value: f64, scale: Scale) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log => libm::log10(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINEAR: (Scale, Scale) = (Scale::Linear, Scale::Linear);

    fn near(one: &[f64], other: &[f64]) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-9)
    }

    #[test]
    fn points_on_a_slope_are_an_ellipse_along_it() {
        let points: Vec<(f64, f64)> = [-1.0, 0.0, 1.0].map(|at| (3.0 + at, 5.0 + at)).into();
        let found = ellipse_of(&points, LINEAR).unwrap();
        let long = (4.0_f64 / 3.0).sqrt();
        assert!(near(&found, &[3.0, 5.0, long, 0.0, std::f64::consts::FRAC_PI_4]), "{found:?}");
    }

    #[test]
    fn points_on_a_cross_are_an_ellipse_along_its_longer_arm() {
        let points = [(0.0, 3.0), (0.0, -3.0), (1.0, 0.0), (-1.0, 0.0)];
        let found = ellipse_of(&points, LINEAR).unwrap();
        let halves = [4.5_f64.sqrt(), 0.5_f64.sqrt(), std::f64::consts::FRAC_PI_2];
        assert!(near(&found[2..], &halves), "{found:?}");
    }

    #[test]
    fn logarithms_are_taken_where_the_axis_has_them() {
        let points = [(1.0, 7.0), (10.0, 7.0), (100.0, 7.0), (0.0, 7.0), (f64::NAN, 7.0)];
        let found = ellipse_of(&points, (Scale::Log, Scale::Linear)).unwrap();
        assert!(near(&found, &[1.0, 7.0, (2.0_f64 / 3.0).sqrt(), 0.0, 0.0]), "{found:?}");
        assert_eq!(ellipse_of(&points[2..], (Scale::Log, Scale::Linear)), None);
    }

    #[test]
    fn a_cloud_has_its_medians_in_its_ellipse() {
        let points = [(3.0, 1.0), (1.0, 2.0), (2.0, 9.0)];
        let [dots, contour] = &cloud("red", &points, LINEAR)[..] else { panic!() };
        assert_eq!(dots.x, [1.0, 2.0, 3.0]);
        assert_eq!(dots.y, [Some(2.0), Some(9.0), Some(1.0)]);
        assert_eq!((&contour.x[..], &contour.y[..]), (&[2.0][..], &[Some(2.0)][..]));
        assert!(contour.ellipse.is_some());
        assert_eq!(cloud("red", &points[..2], LINEAR).len(), 1);
    }
}
