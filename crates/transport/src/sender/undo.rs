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

use super::{Sender, State};
use crate::config::LossDetection;
use crate::rtt::timestamp;

/// The state before a reduction, and the evidence since then.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// The first unacknowledged sequence number when the reduction began; `None` if no reduction
    /// can be taken back.
    marker: Option<u64>,
    /// Retransmissions since then that were not reported as duplicates; `None` before the first.
    outstanding: Option<u32>,
    prior_ssthresh: Option<u32>,
    /// The timestamp of the first retransmission; `None` before it.
    first: Option<u32>,
}

impl Undo {
    /// A reduction begins.
    pub(super) fn begin(&mut self, una: u64, retransmitted: u32, prior_ssthresh: Option<u32>) {
        self.marker = Some(una);
        self.outstanding = (retransmitted > 0).then_some(retransmitted);
        self.prior_ssthresh = prior_ssthresh;
    }

    /// Keeps the reduction, because the network reports congestion itself.
    pub(super) fn forbid(&mut self) {
        self.prior_ssthresh = None;
    }

    /// From now on the reduction cannot be taken back.
    pub(super) fn close(&mut self) {
        self.marker = None;
    }

    /// True if there was a reduction that was not taken back.
    pub(super) const fn is_open(&self) -> bool {
        self.marker.is_some()
    }

    /// A segment was sent again.
    pub(super) fn on_retransmission(&mut self, now: Time) {
        self.outstanding = Some(self.outstanding.unwrap_or(0).saturating_add(1));
        self.first.get_or_insert(timestamp(now));
    }

    /// No segment sent again is outstanding.
    pub(super) fn forget_retransmissions(&mut self) {
        self.first = None;
    }

    /// `duplicates` segments that end at `end` were reported as duplicates.
    pub(super) fn on_duplicates(&mut self, end: u64, duplicates: u32) {
        if self.marker.is_some_and(|marker| end > marker) {
            self.outstanding = self.outstanding.map(|count| count.saturating_sub(duplicates));
        }
    }

    /// True if the segment that `echo` belongs to was sent before the first retransmission.
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
    /// Ends a recovery, and takes it back if it was spurious.
    pub(super) fn undo_recovery(&mut self, echo: Option<u32>) {
        if self.can_undo() && self.undo.is_due(echo) {
            self.restore(false);
        } else {
            self.rack.on_recovered();
        }
        self.state = State::Open;
    }

    /// Takes the reduction back if every retransmission was a duplicate; true if so. Linux
    /// `tcp_try_undo_dsack`.
    pub(super) fn undo_duplicates(&mut self) -> bool {
        let due = self.can_undo() && self.undo.all_were_duplicates();
        if due {
            self.restore(false);
        }
        due
    }

    /// Takes back the reduction of a timeout if it was spurious; true if so. `proven` if a segment
    /// sent once was delivered. Linux `tcp_try_undo_loss`.
    pub(super) fn undo_timeout(&mut self, proven: bool, echo: Option<u32>) -> bool {
        let due = self.can_undo() && (proven || self.undo.is_due(echo));
        if due {
            self.restore(true);
            self.timeouts = 0;
            self.state = State::Open;
        }
        due
    }

    /// Takes the reduction back in recovery if a hole was filled by the first transmission, not by
    /// the retransmission. True if other retransmissions are still in flight, so that it is too
    /// early to decide. Linux `tcp_try_undo_partial`.
    pub(super) fn undo_partial(&mut self, echo: Option<u32>) -> bool {
        if !(self.can_undo() && self.undo.is_open() && self.undo.is_echo_early(echo)) {
            return false;
        }
        let highest = self.board.highest_sacked().unwrap_or(0);
        let distance = highest.saturating_sub(self.una);
        self.rack.on_reordering(distance.div_ceil(u64::from(self.peer.mss)));
        if self.board.retransmitted() > 0 {
            return true;
        }
        if !self.has_retransmitted() {
            self.undo.forget_retransmissions();
        }
        self.restore(true);
        self.try_open();
        false
    }

    /// True for the sender with RACK, as in Linux: only that one takes reductions back.
    fn can_undo(&self) -> bool {
        self.detection == LossDetection::RackTlp
    }

    /// Linux `tcp_undo_cwnd_reduction`.
    fn restore(&mut self, nothing_lost: bool) {
        if nothing_lost {
            self.board.forget_losses();
        }
        if let Some(prior) = self.undo.prior_ssthresh {
            self.window.cwnd = self.window.cwnd.max(self.prr.prior_cwnd());
            if prior > self.window.ssthresh {
                self.window.ssthresh = prior;
                self.output.reduced = false;
            }
        }
        self.undo.close();
        self.rack.reconsider();
        self.stats.spurious += 1;
    }
}
