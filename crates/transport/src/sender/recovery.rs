//! The states of a sender with SACK, and their changes by an acknowledgement.
//!
//! Specification: RFC 6675 section 5, RFC 8985 sections 6.2 and 7.4, RFC 5682 (F-RTO),
//! RFC 3168 section 6.1.2, put together as in Linux 6.1 `tcp_fastretrans_alert`.
//! Deviations: a receiver that drops data which it had selectively acknowledged is noticed only
//! at the timeout (RFC 2018 section 8); Linux notices it at once.

use units::Time;

use super::ack_processing::Heard;
use super::output::Hold;
use super::timers::Timer;
use super::{Sender, State};
use crate::cc::{CongestionControl, Reduction};
use crate::config::LossDetection;
use crate::rack::Circumstances;
use crate::rfc6675::DUPLICATE_THRESHOLD;
use crate::scoreboard::Mark;
use crate::tail_loss_probe::{ProbeAck, TICKS};

impl Sender {
    /// Moves through the states after an acknowledgement.
    pub(super) fn react(&mut self, heard: &mut Heard, now: Time) {
        self.output.hold = Hold::Nothing;
        self.react_to_probe(heard, now);
        let usual = self.state == State::Open && !heard.ece && heard.sacked == 0;
        if usual && !heard.duplicate && !heard.is_duplicate() {
            return;
        }
        if heard.ece {
            self.undo.forbid();
        }
        self.leave(heard);
        match self.state {
            State::Recovery => self.react_in_recovery(heard, now),
            State::Loss => self.react_after_timeout(heard, now),
            _ => self.react_in_order(heard, now),
        }
    }

    /// A state ends once all is acknowledged that was outstanding when it began.
    fn leave(&mut self, heard: &Heard) {
        match self.state {
            State::Open => self.undo.forget_retransmissions(),
            // Data above `high` must be acknowledged, so that CWR has reached the receiver.
            State::Cwr if self.una > self.high => {
                self.end_reduction();
                self.state = State::Open;
            }
            State::Recovery if self.una >= self.high => {
                self.undo_recovery(heard.echo);
                self.end_reduction();
            }
            _ => {}
        }
    }

    fn react_in_order(&mut self, heard: &mut Heard, now: Time) {
        if self.state <= State::Disorder {
            self.undo_duplicates();
        }
        self.detect_losses(heard, now);
        if self.board.lost() > 0 {
            self.enter_recovery(heard.ece, now);
            return;
        }
        if !self.has_retransmitted() {
            self.undo.forget_retransmissions();
        }
        if heard.ece && self.state < State::Cwr {
            self.enter_cwr(now);
        }
        if self.state != State::Cwr {
            self.try_open();
        }
    }

    fn react_in_recovery(&mut self, heard: &mut Heard, now: Time) {
        if heard.advanced && self.undo_partial(heard.echo) {
            // Send new segments, and wait for the acknowledgements of the other retransmissions.
            self.output.hold = Hold::Retransmissions;
            return;
        }
        if self.undo_duplicates() {
            self.try_open();
        }
        self.detect_losses(heard, now);
        if self.state != State::Recovery && self.board.lost() > 0 {
            self.enter_recovery(heard.ece, now);
        }
    }

    fn react_after_timeout(&mut self, heard: &mut Heard, now: Time) {
        self.repair_timeout(heard);
        self.detect_losses(heard, now);
        if self.state == State::Open || heard.lost_retransmission {
            self.react_in_order(heard, now);
        }
    }

    /// RFC 5682 section 3.1: after a timeout, new segments are sent first, to see if the old ones
    /// arrive without retransmission.
    fn repair_timeout(&mut self, heard: &Heard) {
        let done = self.una >= self.high;
        if heard.advanced && self.undo_timeout(false, heard.echo) {
            return;
        }
        if self.frto {
            // Step 3.b: a segment sent once has arrived.
            if heard.original && self.undo_timeout(true, heard.echo) {
                return;
            }
            if self.stream.next() > self.high {
                // Step 3.a: the loss was real.
                self.frto &= heard.sacked == 0 && !heard.is_duplicate();
            } else if heard.advanced && !done {
                // Step 2.b.
                self.high = self.stream.next();
                self.output.hold = Hold::UntilNew;
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
            ack: self.una,
            reports_probe: heard.duplicate_probe,
            pure_duplicate: heard.is_duplicate() && heard.sacked == 0 && heard.acked == 0,
        };
        if self.probe.on_ack(&ack) {
            self.begin_reduction(Reduction::Loss, now);
            self.state = State::Cwr;
            self.end_reduction();
            self.try_open();
        }
    }

    /// Marks lost segments.
    pub(super) fn detect_losses(&mut self, heard: &mut Heard, now: Time) {
        let retransmitted = self.board.retransmitted();
        match self.detection {
            LossDetection::RackTlp => {
                if self.rack.take_advanced() && self.detect_by_time(now) {
                    heard.restarts_timer = false;
                }
            }
            LossDetection::Scoreboard => self.detect_by_scoreboard(heard),
            LossDetection::DuplicateAcks => {}
        }
        heard.lost_retransmission |= self.board.retransmitted() < retransmitted;
    }

    /// RFC 8985 section 6.2 step 5. True if the timer is set to look again.
    pub(super) fn detect_by_time(&mut self, now: Time) -> bool {
        let circumstances = Circumstances {
            in_recovery: self.state >= State::Recovery,
            min_rtt: self.min_rtt.get().unwrap_or_default(),
            srtt: self.rtt.srtt().unwrap_or_default(),
        };
        let Some(wait) = self.rack.detect(&mut self.board, &circumstances, now) else {
            return false;
        };
        self.timer = Some((now + (wait + TICKS).min(self.rtt.rto()), Timer::Reordering));
        true
    }

    /// RFC 6675 section 5: IsLost, or the third duplicate acknowledgement.
    fn detect_by_scoreboard(&mut self, heard: &Heard) {
        self.frontier.detect(&mut self.board, self.peer.mss);
        if heard.advanced {
            self.frontier.duplicates = 0;
        } else if heard.sacked > 0 {
            self.frontier.duplicates += 1;
        }
        if self.frontier.duplicates >= DUPLICATE_THRESHOLD
            && self.state < State::Recovery
            && let Some(oldest) = self.board.oldest()
        {
            self.board.mark_original_lost(oldest);
        }
    }

    /// RFC 6675 section 5 step 4. A loss in a window that a mark has already reduced does not
    /// reduce it again.
    pub(super) fn enter_recovery(&mut self, ece: bool, now: Time) {
        let prior = (self.state != State::Cwr && !ece).then(|| self.remembered_ssthresh());
        self.undo.begin(self.una, self.board.retransmitted(), prior);
        if self.state != State::Cwr {
            self.begin_reduction(Reduction::Loss, now);
        }
        self.frontier.on_recovery(&self.board);
        self.state = State::Recovery;
        self.stats.recoveries += 1;
    }

    /// RFC 3168 section 6.1.2: the receiver echoes a mark.
    fn enter_cwr(&mut self, now: Time) {
        self.undo.close();
        self.begin_reduction(Reduction::Ecn, now);
        self.state = State::Cwr;
        self.stats.ecn_reductions += 1;
    }

    /// Begins a reduction: [`Prr`](crate::prr::Prr) reduces the window as segments are delivered.
    pub(super) fn begin_reduction(&mut self, cause: Reduction, now: Time) {
        self.high = self.stream.next();
        self.probe.cancel();
        self.prr.begin(self.window.cwnd);
        self.window.ssthresh = self.congestion.reduce(&self.window, cause, now);
        self.output.reduced = self.peer.ecn;
    }

    /// Sets the window to its threshold when recovery ends (RFC 9937 section 6), unless the
    /// reduction was taken back.
    fn end_reduction(&mut self) {
        if self.state == State::Cwr || self.undo.is_open() {
            self.window.cwnd = self.window.ssthresh;
        }
    }

    /// Goes to Open if nothing is missing, else to Disorder.
    pub(super) fn try_open(&mut self) {
        let left = self.board.sacked() + self.board.lost() > 0 || self.has_retransmitted();
        let state = if left { State::Disorder } else { State::Open };
        if self.state != state {
            self.state = state;
            self.high = self.stream.next();
        }
    }

    /// True if a retransmission is in flight or the oldest segment was sent again.
    pub(super) fn has_retransmitted(&self) -> bool {
        let oldest = self.board.oldest().map(|id| self.board.get(id));
        self.board.retransmitted() > 0 || oldest.is_some_and(|record| record.is(Mark::AMBIGUOUS))
    }

    /// The threshold to return to if a reduction is taken back.
    pub(super) fn remembered_ssthresh(&self) -> u32 {
        let window = &self.window;
        if self.is_reducing() {
            return window.ssthresh;
        }
        window.ssthresh.max(window.cwnd / 2 + window.cwnd / 4)
    }
}
