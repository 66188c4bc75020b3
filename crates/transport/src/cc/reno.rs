//! Reno: the window doubles each round trip until it meets its threshold, then grows by one
//! segment a round trip; a congestion event halves it.
//!
//! Specification: RFC 5681 section 3.1, RFC 8511 section 3 (alternative back-off on ECN).
//!
//! Deviations: the threshold is half the window, not half of what is in flight (RFC 5681
//! equation 4), as Linux has it; both are equal for a sender that the window limits.

use units::Time;

use super::additive::{Additive, slow_start};
use super::{Acked, CongestionControl, Reduction, Window};

/// RFC 5681 equation 4: the threshold never falls below this many segments.
pub(super) const MINIMUM_SSTHRESH: u32 = 2;

/// Reno's state: the fraction of a segment by which the window has grown, and a choice.
#[derive(Clone, Debug)]
pub struct Reno {
    abe: bool,
    additive: Additive,
}

impl Reno {
    /// Reno, which falls to 0.8 instead of 0.5 of its window on a mark if `abe`.
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
