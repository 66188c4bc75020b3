//! The application bytes that have been delivered, and the goodput.

use std::ops::Range;

use units::Time;

use crate::ActivePeriod;

/// The application bytes that have been delivered, in order where the transport keeps an order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivered {
    total: u64,
    /// The bytes before the statistics began.
    before: u64,
    /// The time at which data was last delivered.
    last: Time,
}

impl Delivered {
    pub(crate) const NOTHING: Self = Self { total: 0, before: 0, last: Time::ZERO };

    /// Adds `bytes` that have been delivered now; 0 for data that fills no gap, or was received
    /// before.
    #[inline]
    pub(crate) fn add(&mut self, bytes: u64, now: Time) {
        self.total += bytes;
        self.last = now;
    }

    /// The bytes since the beginning.
    #[inline]
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The bytes since the statistics began.
    pub(crate) fn counted(&self) -> u64 {
        self.total - self.before
    }

    /// Restarts the statistics.
    pub(crate) fn reset(&mut self) {
        self.before = self.total;
    }

    /// The rate of the bytes in Mbit/s, over the part of `during` in which the flow was active.
    /// That part lasts until the last byte was delivered if the flow has `ended`; otherwise until
    /// the application stopped, or until the last byte if that is later. `None` if the flow was not
    /// active at all.
    pub(crate) fn goodput_mbit(
        &self,
        active: ActivePeriod,
        ended: bool,
        during: &Range<Time>,
    ) -> Option<f64> {
        let end = if ended { self.last } else { active.stop.max(self.last).min(during.end) };
        let span = end.since(active.start.max(during.start));
        (!span.is_zero()).then(|| self.counted() as f64 * 8.0 / span.as_secs_f64() / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodput_is_over_the_time_in_which_a_flow_is_active() {
        let second = Time::from_secs;
        let during = second(1)..second(10);
        let mbit = |stop, last, ended| {
            let mut delivered = Delivered::NOTHING;
            delivered.add(1_000_000, second(last));
            delivered.goodput_mbit(ActivePeriod { start: second(2), stop }, ended, &during)
        };
        // Until the end; until the stop; until the last byte after the stop; until the last byte of
        // an ended flow.
        assert_eq!(mbit(Time::MAX, 9, false), Some(1.0));
        assert_eq!(mbit(second(4), 3, false), Some(4.0));
        assert_eq!(mbit(second(4), 6, false), Some(2.0));
        assert_eq!(mbit(Time::MAX, 3, true), Some(8.0));
        assert_eq!(mbit(Time::MAX, 2, true), None);
    }

    #[test]
    fn what_came_before_the_statistics_does_not_count() {
        let mut delivered = Delivered::NOTHING;
        delivered.add(500, Time::from_secs(1));
        delivered.reset();
        delivered.add(1_000_000, Time::from_secs(2));
        assert_eq!((delivered.total(), delivered.counted()), (1_000_500, 1_000_000));
        let early = ActivePeriod { start: Time::ZERO, stop: Time::MAX };
        let during = Time::from_secs(2)..Time::from_secs(10);
        assert_eq!(delivered.goodput_mbit(early, false, &during), Some(1.0));
    }
}
