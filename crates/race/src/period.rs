//! A time from one point to another.

use units::Time;

/// A time from one point to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    pub(crate) from: Time,
    pub(crate) to: Time,
}

impl Period {
    pub(crate) fn contains(&self, now: Time) -> bool {
        self.from <= now && now < self.to
    }
}
