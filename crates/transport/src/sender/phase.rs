//! The congestion state of a sender, the sequence number that ends it, and what a timeout means.
//!
//! Specification: the states are those of Linux (`tcp_ca_state`); RFC 6582 section 3.2 calls the
//! number that ends a recovery `recover`, Linux `high_seq`. RFC 5682 (F-RTO).
//! Deviations: none.

use super::types::State;

/// The present state and its end. Only this file changes them.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    state: State,
    /// The present state ends when this sequence number is acknowledged.
    high: u64,
    /// True while a spurious timeout may still be detected (RFC 5682, F-RTO).
    frto: bool,
    /// Timeouts since the cumulative acknowledgement last advanced.
    timeouts_in_a_row: u32,
    timeouts: u64,
    recoveries: u64,
    ecn_reductions: u64,
}

impl Phase {
    pub(super) const fn new(first: u64) -> Self {
        Self {
            state: State::Open,
            high: first,
            frto: false,
            timeouts_in_a_row: 0,
            timeouts: 0,
            recoveries: 0,
            ecn_reductions: 0,
        }
    }

    pub(super) const fn state(&self) -> State {
        self.state
    }

    /// The sequence number that ends the present state.
    pub(super) const fn high(&self) -> u64 {
        self.high
    }

    /// True after a loss was found, until it is repaired.
    pub(super) fn is_recovering(&self) -> bool {
        self.state >= State::Recovery
    }

    /// The cumulative acknowledgement advanced.
    pub(super) fn on_advance(&mut self) {
        self.timeouts_in_a_row = 0;
    }

    /// Nothing is unusual any more.
    pub(super) fn open(&mut self) {
        self.state = State::Open;
    }

    /// A duplicate acknowledgement came.
    pub(super) fn disorder(&mut self) {
        self.state = State::Disorder;
    }

    /// Goes to Open, or to Disorder if something is `missing`; with `next` to be sent.
    pub(super) fn open_unless(&mut self, missing: bool, next: u64) {
        let state = if missing { State::Disorder } else { State::Open };
        if self.state != state {
            (self.state, self.high) = (state, next);
        }
    }

    /// A reduction of the window begins, with `next` to be sent.
    pub(super) fn begin_reduction(&mut self, next: u64) {
        self.high = next;
    }

    /// The window falls because of a mark.
    pub(super) fn enter_cwr(&mut self) {
        self.state = State::Cwr;
        self.ecn_reductions += 1;
    }

    /// Lost segments are sent again.
    pub(super) fn enter_recovery(&mut self) {
        self.state = State::Recovery;
        self.recoveries += 1;
    }

    /// The retransmission timer ran out, with `next` to be sent. `frto` to find out if that was
    /// spurious (RFC 5682 section 2.1 step 1: not in the middle of a recovery from losses).
    pub(super) fn enter_loss(&mut self, next: u64, frto: bool) {
        self.frto = frto && (!self.is_recovering() || self.timeouts_in_a_row > 0);
        (self.state, self.high) = (State::Loss, next);
        self.timeouts_in_a_row += 1;
        self.timeouts += 1;
    }

    /// True if the timer ran out before in this state, since when nothing was acknowledged.
    pub(super) const fn has_timed_out_again(&self) -> bool {
        self.timeouts_in_a_row > 0
    }

    /// The timeout was spurious.
    pub(super) fn undo_timeout(&mut self) {
        self.timeouts_in_a_row = 0;
        self.state = State::Open;
    }

    /// True while a spurious timeout may still be detected.
    pub(super) const fn may_be_spurious(&self) -> bool {
        self.frto
    }

    /// RFC 5682 section 2.1 step 2.b: new segments, from `next` on, are to tell if the timeout was
    /// spurious.
    pub(super) fn test_timeout(&mut self, next: u64) {
        self.high = next;
    }

    /// The timeout was real.
    pub(super) fn believe_timeout(&mut self) {
        self.frto = false;
    }

    /// Retransmission timeouts since the connection began.
    pub(super) const fn timeouts(&self) -> u64 {
        self.timeouts
    }

    /// Times that recovery was entered.
    pub(super) const fn recoveries(&self) -> u64 {
        self.recoveries
    }

    /// Reductions of the window for congestion marks.
    pub(super) const fn ecn_reductions(&self) -> u64 {
        self.ecn_reductions
    }
}
