//! The states of a sender with SACK, and their changes by an acknowledgement.
//!
//! Specification: RFC 6675 section 5, RFC 8985 sections 6.2 and 7.4, RFC 5682 (F-RTO),
//! RFC 3168 section 6.1.2, put together as in Linux 6.1 `tcp_fastretrans_alert`.
//! Deviations: a receiver that drops data which it had selectively acknowledged is noticed only
//! at the timeout (RFC 2018 section 8); Linux notices it at once.

use units::Time;

use super::ack_processing::Heard;
use super::output::Hold;
use super::timer::Purpose;
use super::{Sender, State};
use crate::cc::Reduction;
use crate::config::LossDetection;
use crate::rack::Circumstances;
use crate::tail_loss_probe::{ProbeAck, TICKS};

impl Sender {
    /// Moves through the states after an acknowledgement.
    pub(super) fn react(&mut self, heard: &mut Heard, now: Time) {
        self.output.hold(Hold::Nothing);
        self.react_to_probe(heard, now);
        let usual = self.phase.state() == State::Open && !heard.ece && heard.sacked == 0;
        if usual && !heard.duplicate && !heard.is_duplicate() {
            return;
        }
        if heard.ece {
            self.undo.forbid();
        }
        self.leave(heard);
        match self.phase.state() {
            State::Recovery => self.react_in_recovery(heard, now),
            State::Loss => self.react_after_timeout(heard, now),
            _ => self.react_in_order(heard, now),
        }
    }

    /// A state ends once all is acknowledged that was outstanding when it began.
    fn leave(&mut self, heard: &Heard) {
        let (una, high) = (self.sequence.una(), self.phase.high());
        match self.phase.state() {
            State::Open => self.undo.forget_retransmissions(),
            // Data above `high` must be acknowledged, so that CWR has reached the receiver.
            State::Cwr if una > high => {
                self.window.settle();
                self.phase.open();
            }
            State::Recovery if una >= high => {
                self.undo_recovery(heard.echo);
                // RFC 9937 section 6, unless the reduction was taken back.
                if self.undo.is_open() {
                    self.window.settle();
                }
            }
            _ => {}
        }
    }

    fn react_in_order(&mut self, heard: &mut Heard, now: Time) {
        if self.phase.state() <= State::Disorder {
            self.undo_duplicates();
        }
        self.detect_losses(heard, now);
        if self.losses.board().lost() > 0 {
            self.enter_recovery(heard.ece, now);
            return;
        }
        if !self.losses.has_retransmitted() {
            self.undo.forget_retransmissions();
        }
        if heard.ece && self.phase.state() < State::Cwr {
            self.enter_cwr(now);
        }
        if self.phase.state() != State::Cwr {
            self.try_open();
        }
    }

    fn react_in_recovery(&mut self, heard: &mut Heard, now: Time) {
        if heard.advanced && self.undo_partial(heard.echo) {
            // Send new segments, and wait for the acknowledgements of the other retransmissions.
            self.output.hold(Hold::Retransmissions);
            return;
        }
        if self.undo_duplicates() {
            self.try_open();
        }
        self.detect_losses(heard, now);
        if self.phase.state() != State::Recovery && self.losses.board().lost() > 0 {
            self.enter_recovery(heard.ece, now);
        }
    }

    fn react_after_timeout(&mut self, heard: &mut Heard, now: Time) {
        self.repair_timeout(heard);
        self.detect_losses(heard, now);
        if self.phase.state() == State::Open || heard.lost_retransmission {
            self.react_in_order(heard, now);
        }
    }

    /// RFC 5682 section 3.1: after a timeout, new segments are sent first, to see if the old ones
    /// arrive without retransmission.
    fn repair_timeout(&mut self, heard: &Heard) {
        let next = self.sequence.next();
        let done = self.sequence.una() >= self.phase.high();
        if heard.advanced && self.undo_timeout(false, heard.echo) {
            return;
        }
        if self.phase.may_be_spurious() {
            // Step 3.b: a segment sent once has arrived.
            if heard.original && self.undo_timeout(true, heard.echo) {
                return;
            }
            if next > self.phase.high() {
                // Step 3.a: the loss was real.
                if heard.sacked > 0 || heard.is_duplicate() {
                    self.phase.believe_timeout();
                }
            } else if heard.advanced && !done {
                // Step 2.b.
                self.phase.test_timeout(next);
                self.output.hold(Hold::UntilNew);
                return;
            }
        }
        if done {
            self.undo_recovery(heard.echo);
        }
    }

    /// RFC 8985 section 7.4.2: a loss that the probe repaired counts as one.
    pub(super) fn react_to_probe(&mut self, heard: &Heard, now: Time) {
        let ack = ProbeAck {
            ack: self.sequence.una(),
            reports_probe: heard.duplicate_probe,
            pure_duplicate: heard.is_duplicate() && heard.sacked == 0 && heard.acked == 0,
        };
        if self.probe.on_ack(&ack) {
            self.begin_reduction(Reduction::Loss, now);
            self.window.settle();
            self.try_open();
        }
    }

    /// Marks lost segments.
    fn detect_losses(&mut self, heard: &mut Heard, now: Time) {
        let retransmitted = self.losses.board().retransmitted();
        match self.losses.detection() {
            LossDetection::RackTlp => {
                if self.losses.take_search_due() && self.detect_by_time(now) {
                    heard.restarts_timer = false;
                }
            }
            LossDetection::Scoreboard => self.detect_by_scoreboard(heard),
            LossDetection::DuplicateAcks => {}
        }
        heard.lost_retransmission |= self.losses.board().retransmitted() < retransmitted;
    }

    /// RFC 8985 section 6.2 step 5. True if the timer is set to look again.
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

    /// RFC 6675 section 5: IsLost, or the third duplicate acknowledgement.
    fn detect_by_scoreboard(&mut self, heard: &Heard) {
        let third = self.losses.search_by_count(self.options.mss, heard.advanced, heard.sacked);
        if third && !self.phase.is_recovering() {
            self.losses.lose_oldest_original();
        }
    }

    /// RFC 6675 section 5 step 4. A loss in a window that a mark has already reduced does not
    /// reduce it again.
    pub(super) fn enter_recovery(&mut self, ece: bool, now: Time) {
        let is_reduced = self.phase.state() == State::Cwr;
        let prior = (!is_reduced && !ece).then(|| self.remembered_ssthresh());
        self.begin_undo(prior);
        if !is_reduced {
            self.begin_reduction(Reduction::Loss, now);
        }
        self.losses.on_recovery();
        self.phase.enter_recovery();
    }

    /// RFC 3168 section 6.1.2: the receiver echoes a mark.
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

    /// Goes to Open if nothing is missing, else to Disorder.
    pub(super) fn try_open(&mut self) {
        self.phase.open_unless(self.losses.has_hole(), self.sequence.next());
    }
}
