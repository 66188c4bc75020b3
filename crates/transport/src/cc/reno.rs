//! Reno: the window doubles each round trip until it meets its threshold, then grows by one
//! segment a round trip; a congestion event halves it.
//!
//! Specification: RFC 5681 section 3.1, RFC 8511 section 3 (alternative back-off on ECN).
//!
//! Deviations: the threshold is half the window, not half of the data in flight (RFC 5681
//! equation 4), as in Linux; both are equal for a sender that the window limits.

use units::Time;

use super::additive::{Additive, slow_start};
use super::{Acked, CongestionControl, Reduction, Window};

/// The least threshold in segments (RFC 5681 equation 4).
pub(super) const MINIMUM_SSTHRESH: u32 = 2;

/// The state of Reno: the fraction of a segment by which the window has grown, and an option.
#[derive(Clone, Debug)]
pub struct Reno {
    abe: bool,
    additive: Additive,
}

impl Reno {
    /// Creates Reno, which reduces its window to 0.8 instead of 0.5 on a mark if `abe`.
    pub fn new(abe: bool) -> Self {
        Self { abe, additive: Additive::default() }
    }
}

impl CongestionControl for Reno {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Acked) {
        if !ack.may_grow {
            return;
        }
        let mut delivered = ack.delivered;
        if window.in_slow_start() {
            delivered = slow_start(window, delivered);
        }
        if delivered > 0 {
            self.additive.grow(window, window.cwnd, delivered);
        }
    }

    fn reduce(&mut self, window: &Window, cause: Reduction, _now: Time) -> u32 {
        self.additive.reset();
        let fallen = match cause {
            // RFC 8511 section 3: beta_ecn = 0.8 for Reno.
            Reduction::Ecn if self.abe => (u64::from(window.cwnd) * 4 / 5) as u32,
            // RFC 5681 equation 4: half.
            _ => window.cwnd / 2,
        };
        fallen.max(MINIMUM_SSTHRESH)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{IdealPipe, ack};
    use super::*;

    #[test]
    fn doubles_then_adds_one_a_round_trip() {
        let (mut reno, mut window) = (Reno::new(false), Window { cwnd: 10, ssthresh: 40 });
        for expected in [20, 40, 41, 42, 43] {
            for _ in 0..window.cwnd {
                reno.on_ack(&mut window, &ack(Time::ZERO, 1));
            }
            assert_eq!(window.cwnd, expected);
        }
        reno.on_ack(&mut window, &Acked { may_grow: false, ..ack(Time::ZERO, 100) });
        assert_eq!(window.cwnd, 43);
    }

    /// RFC 5681 equation 4, RFC 8511 section 3.
    #[test]
    fn falls_to_half_and_on_a_mark_to_four_fifths() {
        let window = |cwnd| Window { cwnd, ssthresh: 10 };
        for (abe, cause, cwnd, expected) in [
            (false, Reduction::Loss, 25, 12),
            (false, Reduction::Timeout, 25, 12),
            (false, Reduction::Ecn, 25, 12),
            (true, Reduction::Loss, 25, 12),
            (true, Reduction::Ecn, 25, 20),
            (false, Reduction::Loss, 3, 2),
        ] {
            assert_eq!(Reno::new(abe).reduce(&window(cwnd), cause, Time::ZERO), expected);
        }
    }

    /// Check value: the average window is sqrt(3/2 / p) = 1.22 / sqrt(p).
    #[test]
    fn average_window_under_periodic_loss() {
        for packets in [600, 6_000, 60_000] {
            let pipe = IdealPipe { rtt: units::Span::from_millis(100), packets_per_loss: packets };
            let average = pipe.average_window(Reno::new(false));
            let expected = libm::sqrt(1.5 * f64::from(packets));
            // Whole segments: half a segment is lost on the stairs, half a one in the halving.
            let short = expected - average;
            assert!((-0.2..0.01 * expected + 1.0).contains(&short), "{average} {expected}");
        }
    }
}
