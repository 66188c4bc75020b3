//! A quantity that is counted: its sum in each step.

use super::ranges::join;

/// The sums of a quantity in the steps of a timeline.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// The sum in the current step.
    current: u64,
    /// The sums in the steps that have ended.
    ended: Vec<u64>,
}

impl Sums {
    /// No steps yet, with memory for `steps`.
    pub(super) fn new(steps: usize) -> Self {
        Self { current: 0, ended: Vec::with_capacity(steps) }
    }

    /// Adds to the current step.
    #[inline]
    pub(super) fn add(&mut self, count: u64) {
        self.current += count;
    }

    /// Ends the current step. The next step begins with zero.
    pub(super) fn end_step(&mut self) {
        self.ended.push(std::mem::take(&mut self.current));
    }

    /// Joins every two steps that have ended to one.
    pub(super) fn join_steps(&mut self) {
        join(&mut self.ended, |one, other| one + other);
    }

    /// The sums in the steps that have ended.
    pub(super) fn finish(self) -> Vec<u64> {
        self.ended
    }
}
