//! Taking back a reduction of the window when no segment was lost.
//!
//! A recovery was spurious if the acknowledgement that ends it echoes a timestamp from before the
//! first retransmission, or if every retransmission was reported as a duplicate. Then the window
//! returns to its former size.
//!
//! Specification: RFC 3522 (Eifel detection), RFC 3708 (DSACK), RFC 4015; Linux `tcp_try_undo_*`.
//! Deviations: RFC 4015 section 3.2 restores to a slow start up to the old window; Linux restores
//! the window itself.

use units::Time;

use super::Sender;
use crate::rtt::timestamp;

/// The state before a reduction, and the evidence since then.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// The first unacknowledged sequence number when the reduction began; `None` if no reduction
    /// can be taken back.
    marker: Option<u64>,
    /// The number of retransmissions since the reduction began that were not reported as
    /// duplicates; `None` before the first.
    outstanding: Option<u32>,
    prior_ssthresh: Option<u32>,
    /// The timestamp of the first retransmission; `None` before it.
    first: Option<u32>,
    /// The number of reductions taken back since the connection began.
    restored: u64,
}

impl Undo {
    /// Begins a reduction.
    pub(super) fn begin(&mut self, una: u64, retransmitted: u32, prior_ssthresh: Option<u32>) {
        self.marker = Some(una);
        self.outstanding = (retransmitted > 0).then_some(retransmitted);
        self.prior_ssthresh = prior_ssthresh;
    }

    /// Keeps the reduction, because the network reports congestion itself.
    pub(super) fn forbid(&mut self) {
        self.prior_ssthresh = None;
    }

    /// Makes the reduction final: from now on it cannot be taken back.
    pub(super) fn close(&mut self) {
        self.marker = None;
    }

    /// True if there was a reduction that was not taken back.
    pub(super) const fn is_open(&self) -> bool {
        self.marker.is_some()
    }

    /// Notes that the reduction was taken back.
    fn on_restored(&mut self) {
        self.marker = None;
        self.restored += 1;
    }

    /// The number of reductions taken back since the connection began.
    pub(super) const fn restored(&self) -> u64 {
        self.restored
    }

    /// Notes that a segment was sent again.
    pub(super) fn on_retransmission(&mut self, now: Time) {
        self.outstanding = Some(self.outstanding.unwrap_or(0).saturating_add(1));
        self.first.get_or_insert(timestamp(now));
    }

    /// Notes that no segment sent again is outstanding.
    pub(super) fn forget_retransmissions(&mut self) {
        self.first = None;
    }

    /// Takes notice that `duplicates` segments that end at `end` were reported as duplicates.
    pub(super) fn on_duplicates(&mut self, end: u64, duplicates: u32) {
        if self.marker.is_some_and(|marker| end > marker) {
            self.outstanding = self.outstanding.map(|count| count.saturating_sub(duplicates));
        }
    }

    /// True if the segment with the timestamp `echo` was sent before the first retransmission.
    fn is_echo_early(&self, echo: Option<u32>) -> bool {
        let Some((first, echo)) = self.first.zip(echo.filter(|&echo| echo != 0)) else {
            return false;
        };
        (echo.wrapping_sub(first) as i32) < 0
    }

    fn all_were_duplicates(&self) -> bool {
        self.is_open() && self.outstanding == Some(0)
    }

    fn is_due(&self, echo: Option<u32>) -> bool {
        self.is_open() && (self.outstanding == Some(0) || self.is_echo_early(echo))
    }
}

impl Sender {
    /// Begins a reduction, which returns to `prior_ssthresh` if it is taken back; `None` if it is
    /// not to be.
    pub(super) fn begin_undo(&mut self, prior_ssthresh: Option<u32>) {
        let retransmitted = self.losses.board().retransmitted();
        self.undo.begin(self.sequence.una(), retransmitted, prior_ssthresh);
    }

    /// The threshold to return to if a reduction is taken back.
    pub(super) fn remembered_ssthresh(&self) -> u32 {
        if self.is_reducing() {
            return self.window.ssthresh();
        }
        self.window.remembered_ssthresh()
    }

    /// Ends a recovery, and takes its reduction back if it was spurious.
    pub(super) fn undo_recovery(&mut self, echo: Option<u32>) {
        if self.can_undo() && self.undo.is_due(echo) {
            self.restore(false);
        } else {
            self.losses.on_recovered();
        }
        self.phase.open();
    }

    /// Takes the reduction back if every retransmission was a duplicate (Linux
    /// `tcp_try_undo_dsack`). Returns true if so.
    pub(super) fn undo_duplicates(&mut self) -> bool {
        let due = self.can_undo() && self.undo.all_were_duplicates();
        if due {
            self.restore(false);
        }
        due
    }

    /// Takes back the reduction of a timeout if it was spurious (Linux `tcp_try_undo_loss`).
    /// `proven` says that a segment sent once was delivered. Returns true if the reduction was
    /// taken back.
    pub(super) fn undo_timeout(&mut self, proven: bool, echo: Option<u32>) -> bool {
        let due = self.can_undo() && (proven || self.undo.is_due(echo));
        if due {
            self.restore(true);
            self.phase.undo_timeout();
        }
        due
    }

    /// Takes the reduction back in recovery if a hole was filled by the first transmission, not by
    /// the retransmission (Linux `tcp_try_undo_partial`). Returns true if other retransmissions are
    /// still in flight, so that it is too early to decide.
    pub(super) fn undo_partial(&mut self, echo: Option<u32>) -> bool {
        if !(self.can_undo() && self.undo.is_open() && self.undo.is_echo_early(echo)) {
            return false;
        }
        let board = self.losses.board();
        let (highest, in_flight) = (board.highest_sacked().unwrap_or(0), board.retransmitted() > 0);
        let distance = highest.saturating_sub(self.sequence.una());
        self.losses.on_reordering(distance.div_ceil(u64::from(self.options.mss)));
        if in_flight {
            return true;
        }
        if !self.losses.has_retransmitted() {
            self.undo.forget_retransmissions();
        }
        self.restore(true);
        self.try_open();
        false
    }

    /// True for a sender with RACK, as in Linux: only such a sender takes reductions back.
    fn can_undo(&self) -> bool {
        self.losses.has_rack()
    }

    /// Takes the reduction back.
    fn restore(&mut self, nothing_lost: bool) {
        if nothing_lost {
            self.losses.take_back();
        }
        if self.window.restore(self.undo.prior_ssthresh) {
            self.output.on_restored();
        }
        self.undo.on_restored();
        self.losses.search_again();
    }
}
