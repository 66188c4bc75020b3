//! A rate that changes at given times.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use units::{Bytes, Rate, Span, Time};

/// The bits per second times nanoseconds in one byte.
pub(crate) const NANOBITS_PER_BYTE: u128 = 8_000_000_000;

/// A piecewise constant rate. Each step holds until the next one, the last one for ever. Clones
/// share the steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    steps: Arc<[(Time, Rate)]>,
}

impl Schedule {
    /// Creates a schedule with the rate of each step from the step's time on.
    ///
    /// # Errors
    /// If there is no step, if the first step is not at time zero, or if a step is not later than
    /// the one before.
    pub fn new(steps: Vec<(Time, Rate)>) -> Result<Self, ScheduleError> {
        let Some((first, _)) = steps.first() else {
            return Err(ScheduleError::new(0, "a schedule needs at least one step, at 0s"));
        };
        if *first != Time::ZERO {
            let at = first.since(Time::ZERO);
            return Err(ScheduleError::new(
                0,
                format!("the first step is at {at}; it must be at 0s, for the rate before it"),
            ));
        }
        for (index, pair) in steps.windows(2).enumerate() {
            let (before, at) = (pair[0].0.since(Time::ZERO), pair[1].0.since(Time::ZERO));
            if at <= before {
                return Err(ScheduleError::new(
                    index + 1,
                    format!("the step at {at} follows the one at {before}; it must be later"),
                ));
            }
        }
        Ok(Self { steps: steps.into() })
    }

    /// The schedule with one rate for ever.
    pub(crate) fn constant(rate: Rate) -> Self {
        Self { steps: [(Time::ZERO, rate)].into() }
    }

    /// The schedule that is this one up to `now`, and has this rate from then on.
    pub(crate) fn then(&self, rate: Rate, now: Time) -> Self {
        let before = self.steps.iter().copied().filter(|(start, _)| *start < now);
        Self { steps: before.chain([(now, rate)]).collect() }
    }

    /// The steps, in order of time; the first is at zero.
    pub fn steps(&self) -> &[(Time, Rate)] {
        &self.steps
    }

    /// The bytes that can be sent in `from..to`.
    pub fn capacity(&self, from: Time, to: Time) -> Bytes {
        let mut nanobits = 0;
        for (index, &(start, rate)) in self.steps.iter().enumerate() {
            let span = self.end(index).min(to).since(start.max(from));
            nanobits += u128::from(span.as_nanos()) * u128::from(rate.bits_per_sec());
        }
        Bytes(u64::try_from(nanobits / NANOBITS_PER_BYTE).unwrap_or(u64::MAX))
    }

    /// This schedule with every step but the first later by `by`.
    pub(crate) fn later(&self, by: Span) -> Self {
        let later = |(index, &(start, rate)): (usize, &(Time, Rate))| match index {
            0 => (start, rate),
            _ => (start + by, rate),
        };
        Self { steps: self.steps.iter().enumerate().map(later).collect() }
    }

    /// The rate at this time.
    pub(crate) fn rate_at(&self, now: Time) -> Rate {
        let begun = self.steps.partition_point(|(start, _)| *start <= now);
        self.steps[begun.saturating_sub(1)].1
    }

    /// The time at which the step with this index ends.
    pub(crate) fn end(&self, index: usize) -> Time {
        self.steps.get(index + 1).map_or(Time::MAX, |(start, _)| *start)
    }
}

/// The error that a list of steps is not a [`Schedule`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleError {
    /// The index of the wrong step; the first is 0.
    pub step: usize,
    /// The mistake in the step, and what would be right.
    pub message: String,
}

impl ScheduleError {
    fn new(step: usize, message: impl Into<String>) -> Self {
        Self { step, message: message.into() }
    }
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ScheduleError {}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    const MBIT: Rate = Rate::from_mbit(1);

    #[test]
    fn refuses_what_is_not_a_schedule() {
        let at = |millis| (Time::from_millis(millis), MBIT);
        for (steps, step, word) in [
            (vec![], 0, "at least one"),
            (vec![at(5)], 0, "5ms"),
            (vec![at(0), at(5), at(5)], 2, "later"),
            (vec![at(0), at(5), at(7), at(6)], 3, "later"),
        ] {
            let error = Schedule::new(steps).unwrap_err();
            assert_eq!(error.step, step);
            assert!(error.message.contains(word), "{error}");
        }
    }

    #[test]
    fn capacity_is_the_integral_of_the_rate() {
        let schedule = Schedule::new(vec![
            (Time::ZERO, Rate::from_mbit(8)),
            (Time::from_millis(10), Rate::from_mbit(80)),
            (Time::from_millis(20), Rate::from_mbit(16)),
        ])
        .unwrap();
        let between = |from, to| schedule.capacity(Time::from_millis(from), Time::from_millis(to));
        assert_eq!(between(0, 10), Bytes(10_000));
        assert_eq!(between(5, 15), Bytes(5_000 + 50_000));
        assert_eq!(between(0, 30), Bytes(10_000 + 100_000 + 20_000));
        assert_eq!(between(100, 101), Bytes(2_000));
        assert_eq!(between(7, 7), Bytes::ZERO);
        assert_eq!(between(9, 7), Bytes::ZERO);
        let rest = (u64::MAX - 20_000_000) / 500; // 2 bytes a microsecond
        assert_eq!(schedule.capacity(Time::ZERO, Time::MAX), Bytes(110_000 + rest));
    }
}
