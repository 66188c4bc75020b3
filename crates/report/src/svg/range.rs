//! The range of an axis.

use super::decimal::{magnitude, power_of_ten};
use super::ticks::step;
use crate::figure::Scale;

/// The ends of an axis; `low` is less than `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AxisRange {
    /// The value at the lower end.
    pub low: f64,
    /// The value at the upper end.
    pub high: f64,
}

impl AxisRange {
    /// The smallest range of all `values`, which may all be the same; `None` without values.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        values.fold(None, |range, value| match range {
            None => Some(AxisRange { low: value, high: value }),
            Some(AxisRange { low, high }) => {
                Some(AxisRange { low: low.min(value), high: high.max(value) })
            }
        })
    }

    /// The range of an axis with this number of names.
    pub(super) fn of_names(count: usize) -> Self {
        AxisRange { low: -0.5, high: count as f64 - 0.5 }
    }

    /// The range with room on both sides of half the least distance between two of the ascending
    /// `places`.
    pub(super) fn with_sides(self, scale: Scale, places: &[f64]) -> Self {
        let even = |value: f64| if scale == Scale::Log { libm::log10(value) } else { value };
        let uneven = |value: f64| if scale == Scale::Log { libm::pow(10.0, value) } else { value };
        let gaps = places.windows(2).map(|pair| even(pair[1]) - even(pair[0]));
        let Some(gap) = gaps.filter(|gap| *gap > 0.0).reduce(f64::min) else { return self };
        let side = gap / 2.0;
        AxisRange { low: uneven(even(self.low) - side), high: uneven(even(self.high) + side) }
    }

    /// The range extended to zero, if the scale has a zero, so that the distance from it shows the
    /// size of a value.
    pub(super) fn with_zero(self, scale: Scale) -> Self {
        match scale {
            Scale::Linear => AxisRange { low: self.low.min(0.0), high: self.high.max(0.0) },
            Scale::Log => self,
        }
    }

    /// The range extended to zero, if zero is no further away than this part of the largest value.
    pub(super) fn with_near_zero(self, scale: Scale, part: f64) -> Self {
        match self.low >= 0.0 && self.low <= part * self.high {
            true => self.with_zero(scale),
            false => self,
        }
    }

    /// The range extended downwards to a tenth of its largest value, so that noise does not look
    /// like an effect.
    pub(super) fn not_zoomed(self, scale: Scale) -> Self {
        match scale {
            Scale::Linear if self.high > 0.0 => {
                AxisRange { low: self.low.min(0.9 * self.high), high: self.high }
            }
            _ => self,
        }
    }

    /// The range widened until its ends differ.
    pub(super) fn opened(self, scale: Scale) -> Self {
        let size = self.low.abs().max(self.high.abs());
        match scale {
            Scale::Log if self.high < self.low * 10.0 => {
                AxisRange { low: first_digit(self.low, &[1.0]), high: self.high }.decade()
            }
            // Values closer together could not be distinguished.
            Scale::Linear if self.high - self.low <= size * 1e-9 => match size {
                0.0 => AxisRange { low: 0.0, high: 1.0 },
                _ => AxisRange { low: self.low - size / 2.0, high: self.high + size / 2.0 },
            },
            _ => self,
        }
    }

    /// The range widened to round numbers, with about `count` steps between them.
    pub(super) fn rounded(self, scale: Scale, count: usize) -> Self {
        match scale {
            Scale::Linear => {
                let (digit, power) = step(self.high - self.low, count);
                let step = digit * power_of_ten(power);
                AxisRange {
                    low: (self.low / step + 1e-6).floor() * step,
                    high: (self.high / step - 1e-6).ceil() * step,
                }
            }
            Scale::Log => AxisRange {
                low: first_digit(self.low, &[5.0, 2.0, 1.0]),
                high: last_digit(self.high),
            },
        }
    }

    /// The range widened upwards to a round number if one is near: 59.99 becomes 60.
    pub(super) fn nearly_rounded(self, scale: Scale, count: usize) -> Self {
        let high = self.rounded(scale, count).high;
        match high - self.high <= 0.02 * (self.high - self.low) {
            true => AxisRange { high, ..self },
            false => self,
        }
    }

    /// The range extended at least to the next power of ten.
    fn decade(self) -> Self {
        let next = power_of_ten(magnitude(self.low) + 1);
        AxisRange { low: self.low, high: self.high.max(next) }
    }
}

/// The largest number of one of these first digits, descending, that is no larger than `value`.
fn first_digit(value: f64, digits: &[f64]) -> f64 {
    let power = power_of_ten(magnitude(value));
    digits.iter().map(|digit| digit * power).find(|round| *round <= value).unwrap_or(power)
}

/// The smallest number whose first digit is 1, 2 or 5 and that is no smaller than `value`.
fn last_digit(value: f64) -> f64 {
    let power = power_of_ten(magnitude(value));
    let round = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    round.into_iter().find(|round| *round >= value).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: f64, high: f64) -> AxisRange {
        AxisRange { low, high }
    }

    #[test]
    fn has_all_values() {
        assert_eq!(AxisRange::of([].into_iter()), None);
        assert_eq!(AxisRange::of([3.0, -1.0, 2.0].into_iter()), Some(range(-1.0, 3.0)));
    }

    #[test]
    fn a_linear_axis_has_zero_and_a_log_axis_has_none() {
        assert_eq!(range(2.0, 3.0).with_zero(Scale::Linear), range(0.0, 3.0));
        assert_eq!(range(-3.0, -2.0).with_zero(Scale::Linear), range(-3.0, 0.0));
        assert_eq!(range(2.0, 3.0).with_zero(Scale::Log), range(2.0, 3.0));
        assert_eq!(range(1.0, 30.0).with_near_zero(Scale::Linear, 0.1), range(0.0, 30.0));
        assert_eq!(range(20.0, 30.0).with_near_zero(Scale::Linear, 0.1), range(20.0, 30.0));
    }

    #[test]
    fn noise_is_not_as_high_as_the_axis() {
        assert_eq!(range(99.98, 100.0).not_zoomed(Scale::Linear), range(90.0, 100.0));
        assert_eq!(range(60.0, 100.0).not_zoomed(Scale::Linear), range(60.0, 100.0));
        assert_eq!(range(-2.0, -1.0).not_zoomed(Scale::Linear), range(-2.0, -1.0));
        assert_eq!(range(99.0, 100.0).not_zoomed(Scale::Log), range(99.0, 100.0));
    }

    #[test]
    fn sides_are_half_the_least_distance() {
        let places = [10.0, 20.0, 40.0];
        assert_eq!(range(10.0, 40.0).with_sides(Scale::Linear, &places), range(5.0, 45.0));
        let AxisRange { low, high } = range(1.0, 100.0).with_sides(Scale::Log, &[1.0, 100.0]);
        assert!((low - 0.1).abs() < 1e-9 && (high - 1000.0).abs() < 1e-9, "{low} to {high}");
        // Without boxes the range stays exactly the same.
        assert_eq!(range(2.0, 200.0).with_sides(Scale::Log, &[]), range(2.0, 200.0));
    }

    #[test]
    fn equal_ends_are_parted() {
        for (scale, value, expected) in [
            (Scale::Linear, 0.0, range(0.0, 1.0)),
            (Scale::Linear, 4.0, range(2.0, 6.0)),
            (Scale::Linear, -4.0, range(-6.0, -2.0)),
            (Scale::Log, 10.0, range(10.0, 100.0)),
            (Scale::Log, 3.0, range(1.0, 10.0)),
        ] {
            assert_eq!(range(value, value).opened(scale), expected, "{value}");
        }
    }

    #[test]
    fn an_end_that_is_nearly_round_becomes_so() {
        for (high, expected) in [(59.9, 60.0), (60.0, 60.0), (56.0, 56.0)] {
            let range = range(0.0, high).nearly_rounded(Scale::Linear, 8);
            assert_eq!(range, AxisRange { low: 0.0, high: expected });
        }
    }

    #[test]
    fn ends_become_round_numbers() {
        for (scale, (low, high), expected) in [
            (Scale::Linear, (0.0, 93.0), range(0.0, 100.0)),
            (Scale::Linear, (0.0, 100.0), range(0.0, 100.0)),
            (Scale::Linear, (-7.0, 93.0), range(-20.0, 100.0)),
            (Scale::Log, (3.0, 120.0), range(2.0, 200.0)),
            (Scale::Log, (1.0, 1000.0), range(1.0, 1000.0)),
            (Scale::Log, (6.0, 60.0), range(5.0, 100.0)),
        ] {
            assert_eq!(range(low, high).rounded(scale, 5), expected, "{low} to {high}");
        }
    }
}
