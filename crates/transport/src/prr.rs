//! Proportional rate reduction: the window falls to its threshold within one round trip.
//!
//! While more is in flight than the threshold, each delivered segment releases `ssthresh /
//! RecoverFS` of a segment, so that the fall is spread over the round trip. Once less is in
//! flight, as many segments are sent as are delivered, and one more while recovery makes progress.
//!
//! Specification: RFC 9937 (RFC 6937) as Linux 6.1 has it in `tcp_cwnd_reduction`.
//! Deviations: RFC 9937 section 5 takes RecoverFS from the data in flight; Linux takes the window.

/// The state of one reduction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prr {
    /// RecoverFS: the window when the reduction began, in segments.
    prior_cwnd: u32,
    delivered: u32,
    sent: u32,
}

impl Prr {
    /// Begins a reduction at this window.
    pub(crate) fn begin(&mut self, cwnd: u32) {
        *self = Self { prior_cwnd: cwnd.max(1), delivered: 0, sent: 0 };
    }

    /// The window when the reduction began.
    pub(crate) const fn prior_cwnd(&self) -> u32 {
        self.prior_cwnd
    }

    /// Notes that a segment was sent during the reduction.
    pub(crate) fn on_sent(&mut self) {
        self.sent = self.sent.saturating_add(1);
    }

    /// The new window in segments, after `delivered` segments were delivered and while `pipe` are
    /// in flight. `safe` says that the cumulative acknowledgement advanced and no further loss was
    /// found.
    pub(crate) fn on_ack(&mut self, ssthresh: u32, pipe: u32, delivered: u32, safe: bool) -> u32 {
        self.delivered = self.delivered.saturating_add(delivered);
        let conserving = self.delivered.saturating_sub(self.sent);
        let allowance = if pipe > ssthresh {
            let share = u64::from(ssthresh) * u64::from(self.delivered);
            let share = share.div_ceil(u64::from(self.prior_cwnd));
            u32::try_from(share).unwrap_or(u32::MAX).saturating_sub(self.sent)
        } else {
            (conserving.max(delivered) + u32::from(safe)).min(ssthresh - pipe)
        };
        // RFC 9937 section 6: the first retransmission never waits.
        let first = u32::from(self.sent == 0);
        pipe.saturating_add(allowance.max(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From a window of 100 to a threshold of 50: of 10 delivered segments, 5 are sent.
    #[test]
    fn sends_half_of_what_is_delivered() {
        let mut prr = Prr::default();
        prr.begin(100);
        let (mut pipe, mut sent) = (99, 0);
        let mut pattern = Vec::new();
        for _ in 0..10 {
            pipe -= 1;
            let cwnd = prr.on_ack(50, pipe, 1, false);
            let released = cwnd - pipe;
            (0..released).for_each(|_| prr.on_sent());
            pipe += released;
            sent += released;
            pattern.push(released);
        }
        assert_eq!(pattern, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!(sent, 5);
    }

    #[test]
    fn conserves_below_the_threshold() {
        let mut prr = Prr::default();
        prr.begin(20);
        prr.on_sent();
        assert_eq!(prr.on_ack(10, 4, 1, false), 5, "as much as was delivered");
        prr.on_sent();
        assert_eq!(prr.on_ack(10, 4, 1, true), 6, "and one more on progress");
        assert_eq!(prr.on_ack(10, 10, 5, true), 10, "never above the threshold");
    }

    #[test]
    fn the_first_retransmission_never_waits() {
        let mut prr = Prr::default();
        prr.begin(10);
        assert_eq!(prr.on_ack(5, 5, 1, false), 6);
    }
}
