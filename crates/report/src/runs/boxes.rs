//! Boxes with whiskers: the spread of values in five numbers.

use stats::interpolated_quantile;

use crate::figure::{Curve, Mark};

/// The box of values in any order: the end of the lower whisker, the lower quartile, the median,
/// the upper quartile, the end of the upper whisker. `None` if no value is finite. Sorts the
/// values.
///
/// The whiskers reach to the farthest values within 1.5 times the interquartile range of the
/// quartiles (Tukey, "Exploratory Data Analysis", 1977). Quartiles are interpolated as in R's
/// default, type 7 of Hyndman and Fan (1996).
pub fn box_of(values: &mut [f64]) -> Option<[f64; 5]> {
    values.sort_by(f64::total_cmp);
    let first = values.iter().position(|value| value.is_finite())?;
    let last = values.iter().rposition(|value| value.is_finite())?;
    let values = &values[first..=last];
    let quartile = |q| interpolated_quantile(values, q);
    let (lower, median, upper) = (quartile(0.25)?, quartile(0.5)?, quartile(0.75)?);
    let reach = 1.5 * (upper - lower);
    let low = values.iter().find(|value| **value >= lower - reach);
    let high = values.iter().rfind(|value| **value <= upper + reach);
    // An interpolated quartile may lie beyond all values that the whisker may reach.
    Some([low?.min(lower), lower, median, upper, high?.max(upper)])
}

/// The boxes of one colour, as a curve. `groups` has values of `x` with the values there, in any
/// order; groups without values are left out.
pub fn boxes(name: &str, groups: impl IntoIterator<Item = (f64, Vec<f64>)>) -> Curve {
    Curve { beyond: Vec::new(), ..boxes_and_dots(name, groups) }
}

/// The boxes of one colour, as [`boxes`] draws them, with a dot for each value beyond the whiskers.
pub(super) fn boxes_and_dots(
    name: &str,
    groups: impl IntoIterator<Item = (f64, Vec<f64>)>,
) -> Curve {
    let box_at = |(x, mut values): (f64, Vec<f64>)| {
        let five = box_of(&mut values)?;
        Some((x, five, beyond(values, &five)))
    };
    let mut boxes: Vec<(f64, [f64; 5], Vec<f64>)> = groups.into_iter().filter_map(box_at).collect();
    boxes.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
    Curve {
        name: name.into(),
        mark: Mark::Box,
        x: boxes.iter().map(|(x, ..)| *x).collect(),
        y: boxes.iter().map(|(_, five, _)| Some(five[2])).collect(),
        five: boxes.iter().map(|(_, five, _)| *five).collect(),
        beyond: boxes.into_iter().map(|(.., beyond)| beyond).collect(),
        ..Curve::default()
    }
}

/// The values that the whiskers do not reach, ascending. Equal values are one dot.
fn beyond(values: Vec<f64>, [low, .., high]: &[f64; 5]) -> Vec<f64> {
    let is_beyond = |value: &f64| value.is_finite() && !(*low..=*high).contains(value);
    let mut beyond: Vec<f64> = values.into_iter().filter(is_beyond).collect();
    beyond.dedup();
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R 4.3: `quantile(c(2, 4, 4, 5, 6, 7, 8, 30))` is 2, 4, 5.5, 7.25, 30.
    #[test]
    fn a_box_has_quartiles_and_whiskers_without_the_far_out() {
        let mut values = [30.0, 4.0, 2.0, 8.0, 5.0, 4.0, 7.0, 6.0];
        assert_eq!(box_of(&mut values), Some([2.0, 4.0, 5.5, 7.25, 8.0]));
    }

    #[test]
    fn values_beyond_the_whiskers_are_dots() {
        let values = vec![30.0, 4.0, 2.0, 8.0, 5.0, 4.0, 7.0, f64::NAN, 30.0, 6.0, 5.0, 5.0, -9.0];
        let groups = [(0.0, values), (1.0, vec![3.0])];
        let curve = boxes_and_dots("codel", groups.clone());
        assert_eq!(curve.beyond, [vec![-9.0, 30.0], vec![]]);
        assert!(curve.five[0][0] > -9.0 && curve.five[0][4] < 30.0, "{:?}", curve.five);
        assert!(boxes("codel", groups).beyond.is_empty());
    }

    #[test]
    fn few_values_are_a_box_too() {
        assert_eq!(box_of(&mut []), None);
        assert_eq!(box_of(&mut [f64::NAN, f64::INFINITY]), None);
        assert_eq!(box_of(&mut [3.0]), Some([3.0; 5]));
        assert_eq!(box_of(&mut [f64::NAN, 5.0, 3.0]), Some([3.0, 3.5, 4.0, 4.5, 5.0]));
    }

    #[test]
    fn a_whisker_never_ends_inside_its_box() {
        // The upper quartile, 0.75, lies between 0 and 1, and 100 is too far out.
        let [low, lower, _, upper, high] = box_of(&mut [0.0, 0.0, 0.0, 1.0, 100.0, 0.0]).unwrap();
        assert!(low <= lower && upper <= high, "{low} {lower} {upper} {high}");
    }

    #[test]
    fn boxes_stand_in_order() {
        let curve = boxes("codel", [(2.0, vec![1.0]), (1.0, vec![]), (0.0, vec![4.0, 6.0])]);
        assert_eq!((curve.x, curve.y), (vec![0.0, 2.0], vec![Some(5.0), Some(1.0)]));
        assert_eq!(curve.five[0], [4.0, 4.5, 5.0, 5.5, 6.0]);
    }
}
