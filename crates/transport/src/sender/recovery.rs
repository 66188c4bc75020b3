//! The states of a sender with SACK, and their changes by an acknowledgement.
//!
//! Specification: RFC 6675 section 5, RFC 8985 sections 6.2 and 7.4, RFC 5682 (F-RTO),
//! RFC 3168 section 6.1.2, put together as in Linux 6.1 `tcp_fastretrans_alert`.
//! Deviations: a receiver that drops data which it had selectively acknowledged is noticed only
//! at the timeout (RFC 2018 section 8); Linux notices it at once.

use units::Time;

use super::ack_processing::AckContent;
use super::output::Hold;
use super::timer::Purpose;
use super::{CongestionState, Sender};
use crate::cc::Reduction;
use crate::config::LossDetection;
use crate::rack::Circumstances;
use crate::tail_loss_probe::{ProbeAck, TICKS};

impl Sender {
    /// Moves through the states after an acknowledgement.
    #[inline]
    pub(super) fn react(&mut self, content: &mut AckContent, now: Time) {
        self.output.hold(Hold::Nothing);
        self.react_to_probe(content, now);
        let usual =
            self.phase.state() == CongestionState::Open && !content.ece && content.sacked == 0;
        if !usual || content.duplicate || content.is_duplicate() {
            self.react_to_trouble(content, now);
        }
    }

    /// Moves through the states after an acknowledgement that shows a loss or a mark, or comes
    /// after one.
    #[inline(never)]
    fn react_to_trouble(&mut self, content: &mut AckContent, now: Time) {
        if content.ece {
            self.undo.forbid();
        }
        self.leave(content);
        match self.phase.state() {
            CongestionState::Recovery => self.react_in_recovery(content, now),
            CongestionState::Loss => self.react_after_timeout(content, now),
            _ => self.react_in_order(content, now),
        }
    }

    /// Ends a state once all is acknowledged that was outstanding when the state began.
    fn leave(&mut self, content: &AckContent) {
        let (una, high) = (self.sequence.una(), self.phase.high());
        match self.phase.state() {
            CongestionState::Open => self.undo.forget_retransmissions(),
            // Data above `high` must be acknowledged, so that CWR has reached the receiver.
            CongestionState::Cwr if una > high => {
                self.window.settle();
                self.phase.open();
            }
            CongestionState::Recovery if una >= high => {
                self.undo_recovery(content.echo);
                // RFC 9937 section 6, unless the reduction was taken back.
                if self.undo.is_open() {
                    self.window.settle();
                }
            }
            _ => {}
        }
    }

    fn react_in_order(&mut self, content: &mut AckContent, now: Time) {
        if self.phase.state() <= CongestionState::Disorder {
            self.undo_duplicates();
        }
        self.detect_losses(content, now);
        if self.losses.board().lost() > 0 {
            self.enter_recovery(content.ece, now);
            return;
        }
        if !self.losses.has_retransmitted() {
            self.undo.forget_retransmissions();
        }
        if content.ece && self.phase.state() < CongestionState::Cwr {
            self.enter_cwr(now);
        }
        if self.phase.state() != CongestionState::Cwr {
            self.try_open();
        }
    }

    fn react_in_recovery(&mut self, content: &mut AckContent, now: Time) {
        if content.advanced && self.undo_partial(content.echo) {
            // Send new segments, and wait for the acknowledgements of the other retransmissions.
            self.output.hold(Hold::Retransmissions);
            return;
        }
        if self.undo_duplicates() {
            self.try_open();
        }
        self.detect_losses(content, now);
        if self.phase.state() != CongestionState::Recovery && self.losses.board().lost() > 0 {
            self.enter_recovery(content.ece, now);
        }
    }

    fn react_after_timeout(&mut self, content: &mut AckContent, now: Time) {
        self.repair_timeout(content);
        self.detect_losses(content, now);
        if self.phase.state() == CongestionState::Open || content.lost_retransmission {
            self.react_in_order(content, now);
        }
    }

    /// Repairs a timeout: new segments are sent first, to see if the old ones are delivered without
    /// retransmission (RFC 5682 section 3.1).
    fn repair_timeout(&mut self, content: &AckContent) {
        let next = self.sequence.next();
        let done = self.sequence.una() >= self.phase.high();
        if content.advanced && self.undo_timeout(false, content.echo) {
            return;
        }
        if self.phase.may_be_spurious() {
            // Step 3.b: a segment sent once has been delivered.
            if content.original && self.undo_timeout(true, content.echo) {
                return;
            }
            if next > self.phase.high() {
                // Step 3.a: the loss was real.
                if content.sacked > 0 || content.is_duplicate() {
                    self.phase.confirm_timeout();
                }
            } else if content.advanced && !done {
                // Step 2.b.
                self.phase.test_timeout(next);
                self.output.hold(Hold::UntilNew);
                return;
            }
        }
        if done {
            self.undo_recovery(content.echo);
        }
    }

    /// Reduces the window for a loss that the probe repaired (RFC 8985 section 7.4.2).
    #[inline(always)]
    pub(super) fn react_to_probe(&mut self, content: &AckContent, now: Time) {
        if !self.probe.is_out() {
            return;
        }
        let ack = ProbeAck {
            ack: self.sequence.una(),
            reports_probe: content.duplicate_probe,
            pure_duplicate: content.is_duplicate() && content.sacked == 0 && content.acked == 0,
        };
        if self.probe.on_ack(&ack) {
            self.begin_reduction(Reduction::Loss, now);
            self.window.settle();
            self.try_open();
        }
    }

    /// Marks lost segments.
    fn detect_losses(&mut self, content: &mut AckContent, now: Time) {
        let retransmitted = self.losses.board().retransmitted();
        match self.losses.detection() {
            LossDetection::RackTlp => {
                if self.losses.take_search_due() && self.detect_by_time(now) {
                    content.restarts_timer = false;
                }
            }
            LossDetection::Scoreboard => self.detect_by_scoreboard(content),
            LossDetection::DuplicateAcks => {}
        }
        content.lost_retransmission |= self.losses.board().retransmitted() < retransmitted;
    }

    /// Detects losses by time (RFC 8985 section 6.2 step 5). Returns true if the timer is set for
    /// another search.
    pub(super) fn detect_by_time(&mut self, now: Time) -> bool {
        let circumstances = Circumstances {
            in_recovery: self.phase.is_recovering(),
            min_rtt: self.round_trips.min_or_zero(),
            srtt: self.round_trips.srtt_or_zero(),
        };
        let Some(wait) = self.losses.search_by_time(&circumstances, now) else { return false };
        let wait = (wait + TICKS).min(self.round_trips.rto());
        self.timer.set(Purpose::Reordering, now + wait);
        true
    }

    /// Detects losses by the scoreboard: IsLost, or the third duplicate acknowledgement (RFC 6675
    /// section 5).
    fn detect_by_scoreboard(&mut self, content: &AckContent) {
        let third = self.losses.search_by_count(self.options.mss, content.advanced, content.sacked);
        if third && !self.phase.is_recovering() {
            self.losses.lose_oldest_original();
        }
    }

    /// Enters recovery (RFC 6675 section 5 step 4). A loss in a window that a mark has already
    /// reduced does not reduce it again.
    pub(super) fn enter_recovery(&mut self, ece: bool, now: Time) {
        let is_reduced = self.phase.state() == CongestionState::Cwr;
        let prior = (!is_reduced && !ece).then(|| self.remembered_ssthresh());
        self.begin_undo(prior);
        if !is_reduced {
            self.begin_reduction(Reduction::Loss, now);
        }
        self.losses.on_recovery();
        self.phase.enter_recovery();
    }

    /// Enters CWR, because the receiver echoes a mark (RFC 3168 section 6.1.2).
    fn enter_cwr(&mut self, now: Time) {
        self.undo.close();
        self.begin_reduction(Reduction::Ecn, now);
        self.phase.enter_cwr();
    }

    /// Begins a reduction of the window.
    pub(super) fn begin_reduction(&mut self, cause: Reduction, now: Time) {
        self.phase.begin_reduction(self.sequence.next());
        self.probe.cancel();
        self.window.reduce(cause, now);
        self.output.on_reduction(self.options.ecn);
    }

    /// Goes to Open if no segment is missing, else to Disorder.
    pub(super) fn try_open(&mut self) {
        self.phase.open_unless(self.losses.has_hole(), self.sequence.next());
    }
}
