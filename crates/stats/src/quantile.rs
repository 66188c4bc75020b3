//! Quantiles of values that are all kept. For more values than memory should hold, see
//! [`Histogram`](crate::Histogram).
//!
//! The quantile q of n values is the value of rank ⌈q n⌉: the least value that at least the part q
//! of all values does not exceed, type 1 of Hyndman and Fan. It is one of the measured values. The
//! [median](median()) of an even number of values is the mean of the two in the middle.
//!
//! Source: R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American
//! Statistician 50(4), 1996.

/// The values in ascending order.
pub fn ascending(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The quantile `q` (0 to 1) of ascending values, by nearest rank. `None` without values.
pub fn quantile<T: Copy>(ascending: &[T], q: f64) -> Option<T> {
    let rank = nearest_rank(ascending.len() as u64, q)?;
    ascending.get(rank as usize - 1).copied()
}

/// The quantile `q` (0 to 1) of ascending values, interpolated linearly between two of them: type 7
/// of Hyndman and Fan, which R and NumPy have as default. `None` without values.
pub fn interpolated_quantile(ascending: &[f64], q: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    let place = q.clamp(0.0, 1.0) * last as f64;
    let below = place as usize;
    let (low, high) = (ascending[below], ascending[(below + 1).min(last)]);
    Some(low + (high - low) * (place - below as f64))
}

/// The median of ascending values: the value in the middle, or the mean of the two in the middle.
/// `None` without values.
pub fn median(ascending: &[f64]) -> Option<f64> {
    let upper = *ascending.get(ascending.len() / 2)?;
    let lower = ascending[(ascending.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// The bounds of the median of the population from which these ascending values are independent
/// samples: the closest two of the values, equally far from both ends, between which the median
/// lies with at least this `confidence` (0 to 1). The population may have any distribution. `None`
/// for too few values, such as five for a confidence of 0.95.
///
/// A value is below the median of the population with probability 1/2, so the number of those below
/// is binomial, and the bounds are order statistics.
///
/// Source: H. A. David and H. N. Nagaraja, "Order Statistics", 3rd edition, 2003, section 7.1.
pub fn median_interval(ascending: &[f64], confidence: f64) -> Option<[f64; 2]> {
    let count = ascending.len();
    // Probabilities of 0, 1, 2, ... values below the median, as factors of the most probable one,
    // which does not underflow.
    let mut factors = vec![1.0; count + 1];
    for below in (0..count / 2).rev() {
        factors[below] = factors[below + 1] * (below + 1) as f64 / (count - below) as f64;
    }
    for below in count / 2 + 1..=count {
        factors[below] = factors[count - below];
    }
    let all: f64 = factors.iter().sum();
    let outside = (1.0 - confidence) / 2.0 * all;
    let mut tail = 0.0;
    let ranks = factors[..count / 2].iter().take_while(|factor| {
        tail += **factor;
        tail <= outside
    });
    let low = ranks.count().checked_sub(1)?;
    Some([ascending[low], ascending[count - 1 - low]])
}

/// The nearest rank to `q` among `count` values, from 1 to `count`. `None` without values.
pub(crate) fn nearest_rank(count: u64, q: f64) -> Option<u64> {
    /// A product like 0.07 x 100 is a rounding error above 7, which must not make the rank one
    /// higher.
    const ROUNDING: f64 = 1.0 - 4.0 * f64::EPSILON;
    let rank = (q * count as f64 * ROUNDING).ceil() as u64;
    (count > 0).then(|| rank.clamp(1, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R 4.3: `quantile(c(2, 4, 4, 5, 6, 7, 8, 30), type = 1)` is 2, 4, 5, 7, 30; `type = 7` is 2, 4,
    /// 5.5, 7.25, 30.
    #[test]
    fn quantiles_are_those_of_r() {
        let values = ascending([30.0, 5.0, 4.0, 8.0, 2.0, 4.0, 7.0, 6.0]);
        let parts = [0.0, 0.25, 0.5, 0.75, 1.0];
        assert_eq!(parts.map(|q| quantile(&values, q).unwrap()), [2.0, 4.0, 5.0, 7.0, 30.0]);
        let interpolated = parts.map(|q| interpolated_quantile(&values, q).unwrap());
        assert_eq!(interpolated, [2.0, 4.0, 5.5, 7.25, 30.0]);
        assert_eq!((median(&values), median(&values[..7])), (Some(5.5), Some(5.0)));
    }

    /// Ranks of the table of binomial confidence intervals for medians: for 6, 10, 20 and 100 values
    /// 1 and 6, 2 and 9, 6 and 15, 40 and 61 (W. J. Conover, "Practical Nonparametric Statistics",
    /// 3rd edition, 1999, section 3.2, and R 4.3: `qbinom(0.025, n, 0.5)`).
    #[test]
    fn intervals_of_the_median_are_binomial() {
        let of = |count: u32| {
            let values: Vec<f64> = (1..=count).map(f64::from).collect();
            median_interval(&values, 0.95)
        };
        for (count, ranks) in
            [(6, [1.0, 6.0]), (10, [2.0, 9.0]), (20, [6.0, 15.0]), (100, [40.0, 61.0])]
        {
            assert_eq!(of(count), Some(ranks), "{count}");
        }
        for few in 0..6 {
            assert_eq!(of(few), None, "{few}");
        }
        let [low, high] = of(100_000).unwrap();
        assert!(
            (50_000.0 - low - 310.0).abs() < 2.0 && high + low == 100_001.0,
            "1.96 sqrt(n) / 2"
        );
    }

    #[test]
    fn rounding_makes_no_rank_higher() {
        let values: Vec<u32> = (1..=100).collect();
        for percent in 1..=100 {
            assert_eq!(quantile(&values, f64::from(percent) / 100.0), Some(percent));
        }
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert_eq!(quantile::<u8>(&[], 0.5), None);
        assert_eq!(interpolated_quantile(&[], 0.5), None);
        assert_eq!(median(&[]), None);
    }
}
