//! The congestion state of a sender, the sequence number that ends it, and what a timeout means.
//!
//! Specification: the states are those of Linux (`tcp_ca_state`); RFC 6582 section 3.2 calls the
//! number that ends a recovery `recover`, Linux `high_seq`. RFC 5682 (F-RTO).
//! Deviations: none.

use super::types::CongestionState;

/// The present state and its end. Only this file changes them.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    state: CongestionState,
    /// The sequence number whose acknowledgement ends the present state.
    high: u64,
    /// True while a spurious timeout may still be detected (RFC 5682, F-RTO).
    frto: bool,
    /// The number of timeouts since the cumulative acknowledgement last advanced.
    timeouts_in_a_row: u32,
    timeouts: u32,
    recoveries: u32,
    ecn_reductions: u32,
}

impl Phase {
    pub(super) const fn new(first: u64) -> Self {
        Self {
            state: CongestionState::Open,
            high: first,
            frto: false,
            timeouts_in_a_row: 0,
            timeouts: 0,
            recoveries: 0,
            ecn_reductions: 0,
        }
    }

    pub(super) const fn state(&self) -> CongestionState {
        self.state
    }

    /// The sequence number that ends the present state.
    pub(super) const fn high(&self) -> u64 {
        self.high
    }

    /// True after a loss was found, until it is repaired.
    pub(super) fn is_recovering(&self) -> bool {
        self.state >= CongestionState::Recovery
    }

    /// Notes that the cumulative acknowledgement advanced.
    pub(super) fn on_advance(&mut self) {
        self.timeouts_in_a_row = 0;
    }

    /// Goes to Open.
    pub(super) fn open(&mut self) {
        self.state = CongestionState::Open;
    }

    /// Goes to Disorder, because a duplicate acknowledgement came.
    pub(super) fn disorder(&mut self) {
        self.state = CongestionState::Disorder;
    }

    /// Goes to Open, or to Disorder if segments are `missing`; with `next` to be sent.
    pub(super) fn open_unless(&mut self, missing: bool, next: u64) {
        let state = if missing { CongestionState::Disorder } else { CongestionState::Open };
        if self.state != state {
            (self.state, self.high) = (state, next);
        }
    }

    /// Lets the state end at `next`, which is to be sent, because a reduction of the window begins.
    pub(super) fn begin_reduction(&mut self, next: u64) {
        self.high = next;
    }

    /// Goes to CWR: the window falls because of a mark.
    pub(super) fn enter_cwr(&mut self) {
        self.state = CongestionState::Cwr;
        self.ecn_reductions += 1;
    }

    /// Goes to Recovery: lost segments are sent again.
    pub(super) fn enter_recovery(&mut self) {
        self.state = CongestionState::Recovery;
        self.recoveries += 1;
    }

    /// Goes to Loss: the retransmission timer ran out, with `next` to be sent. `frto` says to find
    /// out if that was spurious (RFC 5682 section 2.1 step 1: not in the middle of a recovery from
    /// losses).
    pub(super) fn enter_loss(&mut self, next: u64, frto: bool) {
        self.frto = frto && (!self.is_recovering() || self.timeouts_in_a_row > 0);
        (self.state, self.high) = (CongestionState::Loss, next);
        self.timeouts_in_a_row += 1;
        self.timeouts += 1;
    }

    /// True if the timer ran out before in this state, and nothing was acknowledged since.
    pub(super) const fn has_timed_out_again(&self) -> bool {
        self.timeouts_in_a_row > 0
    }

    /// Goes to Open, because the timeout was spurious.
    pub(super) fn undo_timeout(&mut self) {
        self.timeouts_in_a_row = 0;
        self.state = CongestionState::Open;
    }

    /// True while a spurious timeout may still be detected.
    pub(super) const fn may_be_spurious(&self) -> bool {
        self.frto
    }

    /// Tests by new segments, from `next` on, if the timeout was spurious (RFC 5682 section 2.1
    /// step 2.b).
    pub(super) fn test_timeout(&mut self, next: u64) {
        self.high = next;
    }

    /// Takes the timeout as real.
    pub(super) fn confirm_timeout(&mut self) {
        self.frto = false;
    }

    /// The number of retransmission timeouts since the connection began.
    pub(super) const fn timeouts(&self) -> u64 {
        self.timeouts as u64
    }

    /// The number of times that recovery was entered.
    pub(super) const fn recoveries(&self) -> u64 {
        self.recoveries as u64
    }

    /// The number of reductions of the window for congestion marks.
    pub(super) const fn ecn_reductions(&self) -> u64 {
        self.ecn_reductions as u64
    }
}
