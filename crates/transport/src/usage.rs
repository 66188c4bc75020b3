//! Congestion window validation: a window that is not used shows nothing about the path.
//!
//! The window grows only if it limited the sender in the last round trip; in slow start also if
//! more than half of it was used. A window that was not fully used for a timeout moves halfway to
//! the part that was used. After idleness the window halves for each timeout of idle time.
//!
//! Specification: RFC 2861 and RFC 5681 section 4.1 as Linux has them in `tcp_cwnd_validate`,
//! `tcp_cwnd_application_limited` and `tcp_cwnd_restart`.
//! Deviations: RFC 5681 section 4.1 falls to the restart window at once, Linux by halves.

use units::{Span, Time};

use crate::cc::Window;

/// The use of the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    limited: bool,
    /// The most segments outstanding in this round trip.
    most_out: u32,
    /// The sequence number whose acknowledgement ends the round trip.
    round_end: u64,
    /// The most segments outstanding since `fully_used`.
    used: u32,
    /// The time at which the window was last used fully.
    fully_used: Time,
}

/// The state after a burst of new segments.
pub(crate) struct Burst {
    /// True if the burst ended because of the congestion window.
    pub(crate) limited: bool,
    /// The number of segments outstanding.
    pub(crate) packets_out: u32,
    pub(crate) una: u64,
    pub(crate) next: u64,
}

impl Usage {
    /// True if the window may grow.
    pub(crate) fn is_limited(&self, window: &Window) -> bool {
        self.limited || (window.in_slow_start() && window.cwnd < self.most_out.saturating_mul(2))
    }

    /// Notes a burst. Returns true if the window has not been fully used for `rto`.
    pub(crate) fn on_burst(
        &mut self,
        burst: &Burst,
        window: &Window,
        rto: Span,
        now: Time,
    ) -> bool {
        let new_round = burst.una >= self.round_end;
        if new_round || burst.limited || (!self.limited && burst.packets_out > self.most_out) {
            self.limited = burst.limited;
            self.most_out = burst.packets_out;
            self.round_end = burst.next;
        }
        if self.is_limited(window) {
            self.used = 0;
            self.fully_used = now;
            return false;
        }
        self.used = self.used.max(burst.packets_out);
        now.since(self.fully_used) >= rto
    }

    /// Moves the window halfway to the part used, because the application does not fill it (RFC
    /// 2861 section 2).
    pub(crate) fn shrink(&mut self, window: &mut Window, initial: u32, now: Time) {
        let used = self.used.max(initial);
        if used < window.cwnd {
            window.ssthresh = remembered_ssthresh(window);
            window.cwnd = u32::midpoint(window.cwnd, used);
        }
        self.used = 0;
        self.fully_used = now;
    }

    /// Reduces the window because nothing was sent for `idle`, which is longer than `rto` (RFC 5681
    /// section 4.1).
    pub(crate) fn restart(
        &mut self,
        window: &mut Window,
        initial: u32,
        idle: Span,
        rto: Span,
        now: Time,
    ) {
        let floor = initial.min(window.cwnd);
        window.ssthresh = remembered_ssthresh(window);
        let mut left = idle.saturating_sub(rto);
        while !left.is_zero() && window.cwnd > floor {
            window.cwnd /= 2;
            left -= rto;
        }
        window.cwnd = window.cwnd.max(floor);
        self.used = 0;
        self.fully_used = now;
    }
}

/// The threshold that remembers three quarters of the window (RFC 2861 section 2).
pub(crate) fn remembered_ssthresh(window: &Window) -> u32 {
    window.ssthresh.max(window.cwnd / 2 + window.cwnd / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTO: Span = Span::from_millis(200);

    fn burst(limited: bool, packets_out: u32, una: u64, next: u64) -> Burst {
        Burst { limited, packets_out, una, next }
    }

    #[test]
    fn slow_start_needs_half_the_window() {
        let mut usage = Usage::default();
        let window = Window { cwnd: 10, ssthresh: 100 };
        usage.on_burst(&burst(false, 5, 1, 6), &window, RTO, Time::ZERO);
        assert!(!usage.is_limited(&window));
        usage.on_burst(&burst(false, 6, 1, 7), &window, RTO, Time::ZERO);
        assert!(usage.is_limited(&window));
        assert!(!usage.is_limited(&Window { cwnd: 10, ssthresh: 10 }), "avoidance needs all of it");
    }

    #[test]
    fn being_limited_is_remembered_for_a_round_trip() {
        let mut usage = Usage::default();
        let window = Window { cwnd: 10, ssthresh: 10 };
        usage.on_burst(&burst(true, 10, 1, 11), &window, RTO, Time::ZERO);
        usage.on_burst(&burst(false, 3, 10, 15), &window, RTO, Time::ZERO);
        assert!(usage.is_limited(&window));
        usage.on_burst(&burst(false, 3, 11, 15), &window, RTO, Time::ZERO);
        assert!(!usage.is_limited(&window));
    }

    #[test]
    fn an_unused_window_moves_halfway() {
        let mut usage = Usage::default();
        let mut window = Window { cwnd: 100, ssthresh: 50 };
        assert!(!usage.on_burst(&burst(false, 20, 1, 11), &window, RTO, Time::from_millis(199)));
        assert!(usage.on_burst(&burst(false, 20, 1, 11), &window, RTO, Time::from_millis(200)));
        usage.shrink(&mut window, 10, Time::from_millis(200));
        assert_eq!((window.cwnd, window.ssthresh), (60, 75));
    }

    #[test]
    fn idleness_halves_once_a_timeout() {
        for (idle, cwnd) in [(201, 50), (400, 50), (401, 25), (650, 12), (10_000, 10)] {
            let mut window = Window { cwnd: 100, ssthresh: 50 };
            let idle = Span::from_millis(idle);
            Usage::default().restart(&mut window, 10, idle, RTO, Time::ZERO);
            assert_eq!((window.cwnd, window.ssthresh), (cwnd, 75), "{idle}");
        }
    }
}
