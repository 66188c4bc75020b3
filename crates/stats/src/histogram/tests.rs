use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// The definition, literally: sort, and take the value with the nearest rank.
fn exact(values: &[u64], numerator: usize, denominator: usize) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (values.len() * numerator).div_ceil(denominator).max(1);
    sorted[rank - 1]
}

fn histogram(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|&value| histogram.record(value));
    histogram
}

/// Values of every magnitude, as likely small as large.
fn any_magnitude() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64_u32).prop_map(|(value, shift)| value >> shift)
}

proptest! {
    #[test]
    fn quantiles_are_within_the_stated_error(values in vec(any_magnitude(), 1..400)) {
        let histogram = histogram(&values);
        for percent in 0..=100 {
            let exact = exact(&values, percent, 100);
            let found = histogram.quantile(percent as f64 / 100.0).unwrap();
            prop_assert!(found.abs_diff(exact) <= exact / 512, "{percent} %: {found} for {exact}");
            prop_assert!(exact >= 512 || found == exact);
        }
    }

    #[test]
    fn count_mean_and_extremes_are_exact(values in vec(any_magnitude(), 1..400)) {
        let histogram = histogram(&values);
        let sum: u128 = values.iter().map(|&value| u128::from(value)).sum();
        prop_assert_eq!(histogram.count(), values.len() as u64);
        prop_assert_eq!(histogram.mean(), Some(sum as f64 / values.len() as f64));
        prop_assert_eq!(histogram.min(), values.iter().min().copied());
        prop_assert_eq!(histogram.max(), values.iter().max().copied());
        prop_assert_eq!(histogram.quantile(0.0), histogram.min());
        prop_assert_eq!(histogram.quantile(1.0), histogram.max());
    }

    #[test]
    fn recording_many_is_recording_each(pairs in vec((any_magnitude(), 0..9_u64), 0..99)) {
        let mut many = Histogram::new();
        let mut each = Histogram::new();
        for (value, times) in pairs {
            many.record_many(value, times);
            (0..times).for_each(|_| each.record(value));
        }
        prop_assert_eq!(many, each);
    }

    #[test]
    fn merging_is_recording_both(
        left in vec(any_magnitude(), 0..200),
        right in vec(any_magnitude(), 0..200),
    ) {
        let mut merged = histogram(&left);
        merged.merge(&histogram(&right));
        prop_assert_eq!(merged, histogram(&[left, right].concat()));
    }

    #[test]
    fn a_value_lies_in_the_bucket_it_is_put_in(value in any_magnitude()) {
        prop_assert!(middle(bucket(value)).abs_diff(value) <= value / 512);
    }
}

#[test]
fn empty_has_no_values() {
    let histogram = Histogram::new();
    assert_eq!((histogram.count(), histogram.min(), histogram.max()), (0, None, None));
    assert_eq!((histogram.mean(), histogram.quantile(0.5)), (None, None));
}

/// 0.07 x 100 is 7.000000000000001 in binary; the rank is 7 all the same.
#[test]
fn ranks_are_not_off_by_rounding() {
    let histogram = histogram(&(1..=100).collect::<Vec<_>>());
    for percent in 1..=100 {
        assert_eq!(histogram.quantile(percent as f64 / 100.0), Some(percent), "{percent} %");
    }
}

#[test]
fn quantiles_out_of_range_are_the_extremes() {
    let histogram = histogram(&[1, 2, 3]);
    for (q, value) in [(-1.0, 1), (7.0, 3), (f64::NAN, 1), (f64::INFINITY, 3)] {
        assert_eq!(histogram.quantile(q), Some(value), "{q}");
    }
}

#[test]
fn the_ends_of_the_range_fit() {
    let histogram = histogram(&[0, 255, 256, 511, 512, u64::MAX - 1, u64::MAX]);
    assert_eq!((histogram.min(), histogram.max()), (Some(0), Some(u64::MAX)));
    assert_eq!(histogram.quantile(0.5), Some(511));
    assert_eq!(bucket(u64::MAX), (64 - 8 + 1) * BUCKETS - 1);
}

/// A histogram must be small, because each flow has one.
#[test]
fn is_small() {
    assert!(size_of::<Histogram>() <= 112, "{}", size_of::<Histogram>());
}
