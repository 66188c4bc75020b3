//! Percentiles over time.
//!
//! A queue is sampled by probes, and probes that the queue drops are missing exactly while it is
//! full. So a sample stands for the time around it, half way to the neighbours that were delivered:
//! where probes are missing, their neighbours stand for the time between.

use results::DelaySpread;

/// The fewest samples of which any percentile is known.
const FEWEST: f64 = 20.0;
/// The samples that must lie beyond a percentile for it to be known: half of one, with room for
/// rounding.
const FEWEST_BEYOND: f64 = 0.499;
/// The samples from which a percentile's error does not matter. With fewer, a percentile is known
/// only if it may be off by no more than a part of it (`WIDE`, for the median and for others), or
/// by no more than `WIDE_AT_ALL` seconds.
const MANY: f64 = 150.0;
const WIDE: [f64; 2] = [0.05, 0.07];
const WIDE_AT_ALL: f64 = 3e-3;

/// Seconds for which each of the samples `(at, value)` stands, in the order of time, over the
/// window `from..to`.
pub(crate) fn times(samples: &[(f64, f64)], from: f64, to: f64) -> impl Iterator<Item = f64> + '_ {
    let middle = |one: usize, other: usize| (samples[one].0 + samples[other].0) / 2.0;
    (0..samples.len()).map(move |index| {
        let begins = if index == 0 { from } else { middle(index - 1, index) };
        let ends = if index + 1 == samples.len() { to } else { middle(index, index + 1) };
        (ends.min(to) - begins.max(from)).max(0.0)
    })
}

/// Values with the time for which each stands, smallest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weighted {
    /// Each value, with the sum of its own weight and those of all smaller ones.
    values: Vec<(f64, f64)>,
}

impl Weighted {
    /// Samples `(at, value)` in the order of time, over the window `from..to`.
    pub(crate) fn over_time(samples: &[(f64, f64)], from: f64, to: f64) -> Self {
        let values = samples.iter().map(|(_, value)| *value);
        Self::new(values.zip(times(samples, from, to)).collect())
    }

    /// Values of equal weight.
    pub(crate) fn evenly(values: impl IntoIterator<Item = f64>) -> Self {
        Self::new(values.into_iter().map(|value| (value, 1.0)).collect())
    }

    fn new(mut values: Vec<(f64, f64)>) -> Self {
        values.retain(|(value, weight)| value.is_finite() && weight.is_finite());
        values.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let mut sum = 0.0;
        for (_, weight) in &mut values {
            sum += *weight;
            *weight = sum;
        }
        Self { values }
    }

    /// The value that `part` (0 to 1) of the time does not exceed; `None` without values.
    pub(crate) fn quantile(&self, part: f64) -> Option<f64> {
        let (_, all) = self.values.last()?;
        let index = self.values.partition_point(|(_, sum)| *sum < part * all);
        self.values.get(index).or(self.values.last()).map(|(value, _)| *value)
    }

    /// The value that `part` of the time in which it is at least `bound` does not exceed; `None`
    /// without values.
    pub(crate) fn quantile_from(&self, bound: f64, part: f64) -> Option<f64> {
        let (_, all) = self.values.last()?;
        let below = self.values.partition_point(|(value, _)| *value < bound);
        let below = below.checked_sub(1).map_or(0.0, |index| self.values[index].1);
        let below = stats::ratio(below, *all)?;
        self.quantile(below + part * (1.0 - below))
    }

    /// The largest value; `None` without values.
    pub(crate) fn max(&self) -> Option<f64> {
        self.values.last().map(|(value, _)| *value)
    }

    /// True if these samples, in seconds, are enough for this percentile: at least half of one lies
    /// beyond it, and, if there are few, the values a standard deviation of rank away (binomial)
    /// are near.
    fn knows(&self, part: f64) -> bool {
        let count = self.values.len() as f64;
        let deviation = libm::sqrt(part * (1.0 - part) / count.max(1.0));
        let at = |part: f64| self.quantile(part.clamp(0.0, 1.0)).unwrap_or(f64::INFINITY);
        let width = at(part + deviation) - at(part - deviation);
        let is_near =
            count >= MANY || width <= (WIDE[usize::from(part > 0.5)] * at(part)).max(WIDE_AT_ALL);
        count >= FEWEST && count * (1.0 - part) >= FEWEST_BEYOND && is_near
    }

    /// The percentiles of delays in seconds, converted to milliseconds, as far as there are enough
    /// samples.
    pub(crate) fn delay(&self) -> DelaySpread {
        let millis = |seconds: f64| seconds * 1e3;
        let known = |part: f64| self.quantile(part).filter(|_| self.knows(part)).map(millis);
        let p95 = known(0.95);
        DelaySpread {
            p50: known(0.5),
            p95,
            // A percentile further out is less certain.
            p99: p95.and(known(0.99)),
            max: self.max().map(millis),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_stands_for_the_time_around_it() {
        // Probes of a queue that is full from 0.1 s on, when all but one in ten are dropped.
        let samples: Vec<(f64, f64)> =
            (0..10).map(|i| (f64::from(i) / 100.0, 0.0)).chain([(0.2, 1.0), (0.3, 1.0)]).collect();
        let weighted = Weighted::over_time(&samples, 0.0, 0.35);
        assert_eq!((weighted.quantile(0.4), weighted.quantile(0.5)), (Some(0.0), Some(1.0)));
        assert_eq!(Weighted::evenly(samples.iter().map(|s| s.1)).quantile(0.5), Some(0.0));
    }

    #[test]
    fn few_samples_know_few_percentiles() {
        let delay = |count: u32, of: fn(f64) -> f64| {
            Weighted::evenly((0..count).map(|n| of(f64::from(n) / f64::from(count)))).delay()
        };
        let steady = |_| 0.1;
        let known =
            |spread: DelaySpread| [spread.p50, spread.p95, spread.p99].map(|it| it.is_some());
        assert_eq!(known(delay(19, steady)), [false; 3]);
        assert_eq!(known(delay(20, steady)), [true, true, false]);
        assert_eq!(known(delay(50, steady)), [true; 3]);
        // From 100 ms to 300 ms: the median of thirty may well be off by a tenth.
        let wide = |part| 0.1 + 0.2 * part;
        assert_eq!(known(delay(30, wide)), [false, true, false]);
        assert_eq!(known(delay(150, wide)), [true; 3]);
        // Three long ones of sixty: nobody knows whether one in twenty is long.
        let rare = |part| if part < 0.95 { 0.1 } else { 1.0 };
        assert_eq!(known(delay(60, rare)), [true, false, false]);
    }

    #[test]
    fn of_nothing_there_are_no_percentiles() {
        assert_eq!(Weighted::over_time(&[], 0.0, 1.0).delay(), DelaySpread::default());
        let odd = Weighted::evenly([f64::NAN, f64::INFINITY, 2.0]);
        assert_eq!(
            (odd.quantile(0.0), odd.quantile(1.0), odd.max()),
            (Some(2.0), Some(2.0), Some(2.0))
        );
    }
}
