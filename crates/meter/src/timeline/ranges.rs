//! A quantity that is sampled: the range of its values in each step.

use results::Extremes;

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
    fn include(&mut self, value: u64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }
}

/// The ranges of a quantity in the steps of a timeline.
#[derive(Clone, Debug)]
pub(super) struct Ranges {
    /// The range in the current step.
    current: Range,
    /// The ranges in the steps that have ended, in the unit of the document.
    ended: Extremes,
    /// The conversion of a value to the unit of the document.
    scale: fn(u64) -> f64,
}

impl Ranges {
    /// No steps yet, with memory for `steps`. The first step begins with the range `first`.
    pub(super) fn new(steps: usize, first: Range, scale: fn(u64) -> f64) -> Self {
        let (low, high) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
        Self { current: first, ended: Extremes { low, high }, scale }
    }

    /// Adds a value to the current step.
    #[inline]
    pub(super) fn include(&mut self, value: u64) {
        self.current.include(value);
    }

    /// Ends the current step. The next step begins with the range `next`.
    pub(super) fn end_step(&mut self, next: Range) {
        let Range { low, high } = std::mem::replace(&mut self.current, next);
        let has_values = low <= high;
        self.ended.low.push(has_values.then(|| (self.scale)(low)));
        self.ended.high.push(has_values.then(|| (self.scale)(high)));
    }

    /// Joins every two steps that have ended to one.
    pub(super) fn join_steps(&mut self) {
        join(&mut self.ended.low, |one, other| either(one, other, f64::min));
        join(&mut self.ended.high, |one, other| either(one, other, f64::max));
    }

    /// The ranges in the steps that have ended.
    pub(super) fn finish(self) -> Extremes {
        self.ended
    }
}

/// Joins every two values to one, in place.
pub(super) fn join<T: Copy>(values: &mut Vec<T>, both: impl Fn(T, T) -> T) {
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
