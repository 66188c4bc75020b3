//! Pacing: segments leave evenly spread instead of in bursts.
//!
//! The rate is twice the window per round trip while the window still doubles, and 1.2 times the
//! window after that, so that pacing never holds back a window that may grow. Each segment
//! reserves the time that it takes at this rate; the next one waits until that time has passed.
//!
//! Specification: Linux `tcp_update_pacing_rate`, `tcp_update_skb_after_send`.
//! Deviations: none; the timer is exact here, where Linux's is a high-resolution timer.

use units::{Span, Time};

use crate::cc::Window;

/// The number of first segments of a connection that Linux does not pace.
const UNPACED: u32 = 10;

/// The pacing of one sender.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pacing {
    /// The rate in bytes per second; 0 while no round trip is known.
    rate: u64,
    next: Time,
    /// The number of segments sent so far, up to [`UNPACED`].
    sent: u32,
}

impl Pacing {
    /// The earliest time at which the next segment may be sent.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// Sets the rate for this window, of which `packets_out` segments are outstanding.
    pub(crate) fn update(&mut self, window: &Window, packets_out: u32, mss: u32, srtt: Span) {
        if !srtt.is_zero() {
            self.rate = rate(window, packets_out, mss, srtt).max(1);
        }
    }

    /// Notes that a segment with `len` bytes of payload was sent.
    pub(crate) fn on_sent(&mut self, len: u32, now: Time) {
        let due = self.next;
        self.next = due.max(now);
        if self.sent < UNPACED || self.rate == 0 {
            self.sent += u32::from(self.sent < UNPACED);
            return;
        }
        let share = Span::from_nanos(u64::from(len).saturating_mul(1_000_000_000) / self.rate);
        // A segment that was late lets the next one come earlier, by half its share at most.
        let late = self.next.since(due);
        self.next += share - late.min(share / 2);
    }
}

/// The rate in bytes per second for this window, of which `packets_out` segments are outstanding;
/// `u64::MAX` if `srtt` is zero.
pub(crate) fn rate(window: &Window, packets_out: u32, mss: u32, srtt: Span) -> u64 {
    let percent: u64 = if window.cwnd < window.ssthresh / 2 { 200 } else { 120 };
    let segments = u64::from(window.cwnd.max(packets_out));
    let bytes = segments * u64::from(mss) * percent;
    bytes.saturating_mul(10_000_000).checked_div(srtt.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_a_fifth_faster_than_the_window() {
        let mut pacing = Pacing::default();
        let window = Window { cwnd: 20, ssthresh: 20 };
        pacing.update(&window, 5, 1000, Span::from_millis(120));
        assert_eq!(pacing.rate, 200_000);
        (0..10).for_each(|_| pacing.on_sent(1000, Time::ZERO));
        assert_eq!(pacing.next(), Time::ZERO, "the first ten go unpaced");
        pacing.on_sent(1000, Time::ZERO);
        assert_eq!(pacing.next(), Time::from_millis(5));
        pacing.on_sent(1000, Time::from_millis(5));
        assert_eq!(pacing.next(), Time::from_millis(10));
        pacing.on_sent(1000, Time::from_millis(11));
        assert_eq!(pacing.next(), Time::from_millis(15), "1 ms late is made good");
        pacing.on_sent(1000, Time::from_millis(100));
        assert_eq!(pacing.next().since(Time::from_millis(100)), Span::from_micros(2500));
    }

    #[test]
    fn twice_the_window_in_slow_start() {
        let mut pacing = Pacing::default();
        let window = Window { cwnd: 20, ssthresh: u32::MAX };
        pacing.update(&window, 5, 1000, Span::from_millis(100));
        assert_eq!(pacing.rate, 400_000);
    }
}
