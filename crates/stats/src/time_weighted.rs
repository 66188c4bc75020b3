//! The mean over time of a quantity such as a backlog.

use units::Time;

use crate::ratio;

/// A whole number that keeps its value until it is set again, integrated over time.
#[derive(Clone, Copy, Debug)]
pub struct TimeWeighted {
    value: u64,
    /// Time at which `value` was set.
    since: Time,
    /// Time at which observation began.
    start: Time,
    /// Value times nanoseconds, from `start` to `since`.
    integral: u128,
    max: u64,
}

impl TimeWeighted {
    /// A quantity that is 0 from `start` on.
    pub const fn new(start: Time) -> Self {
        Self { value: 0, since: start, start, integral: 0, max: 0 }
    }

    /// Sets the value from `now` on, which must not be before the time of an earlier call.
    #[inline]
    pub fn set(&mut self, value: u64, now: Time) {
        self.integral = self.integral_until(now);
        self.since = now;
        self.value = value;
        self.max = self.max.max(value);
    }

    /// Restarts the observation at `now`, with the present value.
    pub fn reset(&mut self, now: Time) {
        *self = Self { value: self.value, max: self.value, ..Self::new(now) };
    }

    /// The present value.
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// The mean over the time from the start, or the last reset, to `now`; `None` if no time has
    /// passed.
    pub fn mean(&self, now: Time) -> Option<f64> {
        ratio(self.integral_until(now) as f64, now.since(self.start).as_nanos() as f64)
    }

    /// The largest value, however short it lasted.
    pub const fn max(&self) -> u64 {
        self.max
    }

    fn integral_until(&self, now: Time) -> u128 {
        self.integral + u128::from(self.value) * u128::from(now.since(self.since).as_nanos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighs_by_time() {
        let mut backlog = TimeWeighted::new(Time::from_secs(1));
        backlog.set(4, Time::from_secs(3));
        backlog.set(1, Time::from_secs(4));
        // 0 for 2 s, 4 for 1 s, 1 for 2 s.
        assert_eq!(backlog.mean(Time::from_secs(6)), Some(6.0 / 5.0));
        assert_eq!((backlog.max(), backlog.value()), (4, 1));
    }

    #[test]
    fn forgets_the_warm_up_but_not_the_value() {
        let mut backlog = TimeWeighted::new(Time::ZERO);
        backlog.set(1000, Time::ZERO);
        backlog.set(10, Time::from_secs(9));
        backlog.reset(Time::from_secs(10));
        assert_eq!(backlog.mean(Time::from_secs(10)), None);
        backlog.set(0, Time::from_secs(11));
        assert_eq!(backlog.mean(Time::from_secs(14)), Some(2.5));
        assert_eq!(backlog.max(), 10);
    }

    #[test]
    fn a_moment_weighs_nothing_but_counts_for_the_maximum() {
        let mut backlog = TimeWeighted::new(Time::ZERO);
        backlog.set(7, Time::from_secs(1));
        backlog.set(0, Time::from_secs(1));
        assert_eq!((backlog.mean(Time::from_secs(2)), backlog.max()), (Some(0.0), 7));
    }

    #[test]
    fn does_not_overflow() {
        let mut backlog = TimeWeighted::new(Time::ZERO);
        backlog.set(u64::MAX, Time::ZERO);
        assert_eq!(backlog.mean(Time::MAX), Some(u64::MAX as f64));
    }
}
