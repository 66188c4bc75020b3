//! Round trips, summed up.

use units::Span;

/// The sums of round trips, from which their mean and spread follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RoundTrips {
    count: u64,
    min: Option<Span>,
    max: Span,
    /// The sum in nanoseconds, and that of the squares.
    sum: u128,
    squares: u128,
}

impl RoundTrips {
    /// Counts a round trip.
    pub(crate) fn record(&mut self, span: Span) {
        let nanos = u128::from(span.as_nanos());
        self.count += 1;
        self.min = Some(self.min.map_or(span, |min| min.min(span)));
        self.max = self.max.max(span);
        self.sum += nanos;
        self.squares = self.squares.saturating_add(nanos * nanos);
    }

    /// The number of round trips.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// The shortest; `None` if there is none.
    pub(crate) const fn min(&self) -> Option<Span> {
        self.min
    }

    /// The longest; `None` if there is none.
    pub(crate) fn max(&self) -> Option<Span> {
        self.min.map(|_| self.max)
    }

    /// The mean; `None` if there is none.
    pub(crate) fn mean(&self) -> Option<Span> {
        let count = u128::from(self.count);
        (count > 0).then(|| Span::from_nanos(((self.sum + count / 2) / count) as u64))
    }

    /// The standard deviation of the sample; `None` if there are fewer than three (tcptrace's rule).
    pub(crate) fn deviation(&self) -> Option<Span> {
        if self.count < 3 {
            return None;
        }
        let (count, sum) = (self.count as f64, self.sum as f64);
        let variance = (self.squares as f64 - sum * sum / count) / (count - 1.0);
        Some(Span::from_secs_f64(variance.max(0.0).sqrt() / 1e9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_spread_are_those_of_the_sample() {
        let mut all = RoundTrips::default();
        assert_eq!((all.min(), all.max(), all.mean(), all.deviation()), (None, None, None, None));
        for millis in [2, 4, 4, 4, 5, 5, 7, 9] {
            all.record(Span::from_millis(millis));
        }
        assert_eq!(all.mean(), Some(Span::from_millis(5)));
        // The sum of the squares of the distances is 32.
        let deviation = all.deviation().unwrap().as_secs_f64();
        assert!((deviation - (32.0_f64 / 7.0).sqrt() / 1e3).abs() < 1e-9, "{deviation}");
    }
}
