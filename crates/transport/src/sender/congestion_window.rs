//! The congestion window of a sender, its growth and its reductions.
//!
//! The congestion control grows the window and computes how far it falls; PRR spreads the fall over
//! a round trip; a window that is not used shrinks. Without SACK, fast recovery inflates the window
//! instead (RFC 5681 section 3.2).
//!
//! Specification: RFC 5681, RFC 9937, RFC 2861, in the parts. Deviations: see the parts.

use units::{Bytes, Span, Time};

use crate::cc::{Acked, Algorithm, CongestionControl, Reduction, Window};
use crate::config::Config;
use crate::prr::Prr;
use crate::usage::{Burst, Usage, remembered_ssthresh};

/// The window, its congestion control, and its use.
#[derive(Clone, Debug)]
pub(super) struct CongestionWindow {
    window: Window,
    /// The initial window in segments.
    initial: u32,
    /// The initial threshold.
    initial_ssthresh: Bytes,
    control: Algorithm,
    prr: Prr,
    usage: Usage,
}

impl CongestionWindow {
    pub(super) fn new(config: &Config) -> Self {
        let initial = config.initial_window.max(1);
        Self {
            window: Window { cwnd: initial, ssthresh: u32::MAX },
            initial,
            initial_ssthresh: config.initial_ssthresh.unwrap_or(Bytes(u64::MAX)),
            control: Algorithm::new(&config.congestion, config.abe, config.tick),
            prr: Prr::default(),
            usage: Usage::default(),
        }
    }

    /// Sets the initial threshold in segments of `mss` bytes, because the handshake is complete.
    /// RFC 5681 equation 4 leaves no less than two segments.
    pub(super) fn open(&mut self, mss: u32) {
        let segments = self.initial_ssthresh.0 / u64::from(mss);
        self.window.ssthresh = u32::try_from(segments).unwrap_or(u32::MAX).max(2);
    }

    pub(super) const fn window(&self) -> &Window {
        &self.window
    }

    /// The congestion window in segments.
    pub(super) const fn cwnd(&self) -> u32 {
        self.window.cwnd
    }

    /// The slow start threshold in segments; `u32::MAX` before the first congestion event.
    pub(super) const fn ssthresh(&self) -> u32 {
        self.window.ssthresh
    }

    /// True if the window limited the sender, and may grow therefore.
    pub(super) fn is_limiting(&self) -> bool {
        self.usage.is_limited(&self.window)
    }

    /// Passes an acknowledgement to the congestion control.
    pub(super) fn on_ack(&mut self, facts: &Acked) {
        self.control.on_ack(&mut self.window, facts);
    }

    /// Begins a reduction: sets the threshold. The window follows by [`Self::follow`], or at once
    /// by [`Self::settle`].
    pub(super) fn reduce(&mut self, cause: Reduction, now: Time) {
        self.prr.begin(self.window.cwnd);
        self.window.ssthresh = self.control.reduce(&self.window, cause, now);
    }

    /// Notes a timeout that leaves the threshold as it is (RFC 5681 section 3.1: segments that the
    /// timer sent again were lost again).
    pub(super) fn time_out_again(&mut self, now: Time) {
        self.control.reduce(&self.window, Reduction::Timeout, now);
    }

    /// Sets the window after a timeout to one segment more than the `pipe` in flight (RFC 5681
    /// section 3.1).
    pub(super) fn collapse(&mut self, pipe: u32) {
        self.window.cwnd = pipe + 1;
    }

    /// Notes that a segment was sent during a reduction.
    pub(super) fn on_sent_in_reduction(&mut self) {
        self.prr.on_sent();
    }

    /// Sets the window by PRR after `delivered` segments, with `pipe` in flight. `safe` says that
    /// the cumulative acknowledgement advanced and no new loss was found.
    pub(super) fn follow(&mut self, pipe: u32, delivered: u32, safe: bool) {
        if delivered > 0 {
            self.window.cwnd = self.prr.on_ack(self.window.ssthresh, pipe, delivered, safe);
        }
    }

    /// Sets the window to its threshold.
    pub(super) fn settle(&mut self) {
        self.window.cwnd = self.window.ssthresh;
    }

    /// Takes a reduction back (Linux `tcp_undo_cwnd_reduction`). `prior_ssthresh` is the threshold
    /// before it; `None` keeps the reduction. Returns true if the threshold rises.
    pub(super) fn restore(&mut self, prior_ssthresh: Option<u32>) -> bool {
        let Some(prior) = prior_ssthresh else { return false };
        self.window.cwnd = self.window.cwnd.max(self.prr.prior_cwnd());
        let rises = prior > self.window.ssthresh;
        self.window.ssthresh = self.window.ssthresh.max(prior);
        rises
    }

    /// The threshold that remembers the present window: three quarters of it at least.
    pub(super) fn remembered_ssthresh(&self) -> u32 {
        remembered_ssthresh(&self.window)
    }

    /// Inflates the window by the three segments that have left the network (RFC 5681 section 3.2
    /// step 3).
    pub(super) fn begin_inflation(&mut self) {
        self.window.cwnd = self.window.ssthresh.saturating_add(3);
    }

    /// Inflates the window by one more segment that has left the network (RFC 5681 section 3.2 step
    /// 4).
    pub(super) fn inflate(&mut self) {
        self.window.cwnd += 1;
    }

    /// Deflates the window by the segments acknowledged, less one (RFC 6582 section 3.2 step 3).
    pub(super) fn deflate(&mut self, acked: u32) {
        self.window.cwnd = (self.window.cwnd + 1).saturating_sub(acked).max(1);
    }

    /// Deflates the window so that no burst follows a recovery that leaves `pipe` segments in
    /// flight (RFC 6582 section 3.2 step 3, the first choice).
    pub(super) fn end_inflation(&mut self, pipe: u32) {
        self.window.cwnd = self.window.ssthresh.min(pipe.max(1) + 1);
    }

    /// Reduces the window, unused for longer than `rto`, when data is sent after `idle` with
    /// nothing outstanding (RFC 5681 section 4.1).
    pub(super) fn on_idle(&mut self, idle: Span, rto: Span, now: Time) {
        if idle > rto {
            self.usage.restart(&mut self.window, self.initial, idle, rto, now);
        }
    }

    /// Takes notice that data is sent again after `idle`, with nothing in flight.
    pub(super) fn on_restart(&mut self, idle: Span, now: Time) {
        self.control.on_restart(idle, now);
    }

    /// Takes notice that a burst has ended. The window shrinks if it was not used for `rto` and
    /// `may_shrink` (RFC 2861 section 2).
    pub(super) fn on_burst(&mut self, burst: &Burst, may_shrink: bool, rto: Span, now: Time) {
        let unused = self.usage.on_burst(burst, &self.window, rto, now);
        if unused && may_shrink {
            self.usage.shrink(&mut self.window, self.initial, now);
        }
    }

    /// Sets the congestion window, for tests that would need a long exchange otherwise.
    #[cfg(test)]
    pub(super) fn set_cwnd(&mut self, cwnd: u32) {
        self.window.cwnd = cwnd;
    }
}
