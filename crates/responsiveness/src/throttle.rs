//! A rate limit that all connections share.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kernel::Clock;
use units::{Rate, Span, Time};

/// A common rate limit: each taker waits for the transmission time of all bytes taken before.
#[derive(Debug)]
pub(crate) struct Throttle {
    rate: Rate,
    clock: Clock,
    /// The time at which all bytes taken so far have had their transmission time.
    free: Mutex<Time>,
}

impl Throttle {
    /// A throttle with this total rate.
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, clock: Clock::start(), free: Mutex::new(Time::ZERO) }
    }

    /// Takes bytes and returns the time to wait before more are taken.
    pub(crate) fn take(&self, bytes: u64) -> Duration {
        let time = Span::from_secs_f64(bytes as f64 * 8.0 / self.rate.bits_per_sec() as f64);
        let now = self.clock.now();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        *free = (*free).max(now) + time;
        free.since(now).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takers_share_the_rate() {
        let throttle = Throttle::new(Rate::from_mbit(8));
        let waits: Vec<_> = (0..10).map(|_| throttle.take(1_000_000)).collect();
        let seconds = waits.last().map(Duration::as_secs_f64).unwrap_or_default();
        assert!((9.0..=10.0).contains(&seconds), "{waits:?}");
    }
}
