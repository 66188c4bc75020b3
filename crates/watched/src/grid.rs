//! Steps of one length over some time.

use store::Level;
use units::{Span, Time};

use crate::period::{HOUR, floor};

/// The lengths of steps, in seconds.
const LENGTHS: [u64; 18] =
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/// Steps of one length, which begin at whole multiples of it.
pub(crate) struct Grid {
    pub(crate) from: Time,
    pub(crate) to: Time,
    pub(crate) step: Span,
    pub(crate) count: usize,
}

impl Grid {
    /// The steps from one time to another, at most so many.
    pub(crate) fn new(from: Time, to: Time, most: u64) -> Self {
        let seconds = to.since(from).as_nanos() / 1_000_000_000;
        let length = LENGTHS.iter().find(|it| seconds / **it < most).unwrap_or(&LENGTHS[17]);
        Self::of(from, to, Span::from_secs(*length))
    }

    /// The steps of this length.
    pub(crate) fn of(from: Time, to: Time, step: Span) -> Self {
        let from = floor(from, step);
        let count = to.since(from).as_nanos().div_ceil(step.as_nanos()).max(1) as usize;
        Self { from, to: from + step * count as u64, step, count }
    }

    /// The step that a time lies in; `None` outside.
    pub(crate) fn place(&self, at: Time) -> Option<usize> {
        let place =
            (at.as_nanos().checked_sub(self.from.as_nanos())? / self.step.as_nanos()) as usize;
        (place < self.count).then_some(place)
    }

    /// The summaries that are fine enough for steps of a minute and longer.
    pub(crate) fn level(&self) -> Level {
        if self.step < HOUR { Level::Minute } else { Level::Hour }
    }
}
