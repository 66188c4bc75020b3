//! The range of a quantity in a step, and the joining of two steps to one.

use super::Extremes;

/// The range from the lowest to the highest value; empty if there was none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    low: u64,
    high: u64,
}

impl Range {
    pub(super) const EMPTY: Self = Self { low: u64::MAX, high: 0 };

    pub(super) const fn of(value: u64) -> Self {
        Self { low: value, high: value }
    }

    #[inline]
    pub(super) fn include(&mut self, value: u64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    /// Returns the range, and leaves an empty one.
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::EMPTY)
    }
}

impl Extremes {
    pub(super) fn with_capacity(steps: usize) -> Self {
        Self { low: Vec::with_capacity(steps), high: Vec::with_capacity(steps) }
    }

    /// Adds a step. `scale` converts a value to that of the document.
    pub(super) fn push(&mut self, range: Range, scale: impl Fn(u64) -> f64) {
        let there = range.low <= range.high;
        self.low.push(there.then(|| scale(range.low)));
        self.high.push(there.then(|| scale(range.high)));
    }

    pub(super) fn join_steps(&mut self) {
        join(&mut self.low, |one, other| either(one, other, f64::min));
        join(&mut self.high, |one, other| either(one, other, f64::max));
    }
}

pub(super) fn join_sums(sums: &mut Vec<u64>) {
    join(sums, |one, other| one + other);
}

/// Nanoseconds as milliseconds, to three decimals, or to the nanosecond if less than 10 us.
pub(crate) fn milliseconds(nanos: u64) -> f64 {
    const ALL_DIGITS_BELOW: u64 = 10_000;
    match nanos < ALL_DIGITS_BELOW {
        true => nanos as f64 / 1e6,
        false => (nanos.saturating_add(500) / 1000) as f64 / 1e3,
    }
}

/// Joins every two values to one, in place.
fn join<T: Copy>(values: &mut Vec<T>, both: impl Fn(T, T) -> T) {
    for index in 0..values.len() / 2 {
        values[index] = both(values[2 * index], values[2 * index + 1]);
    }
    values.truncate(values.len() / 2);
}

fn either(one: Option<f64>, other: Option<f64>, both: fn(f64, f64) -> f64) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        _ => one.or(other),
    }
}
