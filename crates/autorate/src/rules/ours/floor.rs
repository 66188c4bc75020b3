//! The least value of the last half minute.

use units::Time;

use super::constants::{FLOOR_PERIOD, FLOOR_PERIODS};

/// The least value in the last periods, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    /// The least value of each period, the current one first; infinite without a value.
    periods: [f64; FLOOR_PERIODS],
    began: Time,
}

impl Floor {
    pub(super) const fn new(now: Time) -> Self {
        Self { periods: [f64::INFINITY; FLOOR_PERIODS], began: now }
    }

    /// Takes a value, and returns how far it lies above the floor.
    pub(super) fn excess(&mut self, value: f64, now: Time) -> f64 {
        let mut passed = 0;
        while now.since(self.began) >= FLOOR_PERIOD && passed < FLOOR_PERIODS {
            self.periods.rotate_right(1);
            self.periods[0] = f64::INFINITY;
            self.began += FLOOR_PERIOD;
            passed += 1;
        }
        if passed == FLOOR_PERIODS {
            self.began = now;
        }
        self.periods[0] = self.periods[0].min(value);
        value - self.periods.iter().copied().fold(f64::INFINITY, f64::min)
    }
}
