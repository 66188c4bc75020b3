//! The actions of a sender when its timer runs out, and the times at which the timer is set.
//!
//! Specification: RFC 6298 section 5, RFC 8985 sections 6.3 and 7, RFC 9293 section 3.8.6.1; Linux
//! 6.1 `tcp_rearm_rto`, `tcp_retransmit_timer`, `tcp_enter_loss`, `tcp_probe_timer`.
//! Deviations: RFC 9293 section 3.8.3: a connection is never given up.

use units::{Span, Time};

use super::output::{Forced, Hold};
use super::timer::Purpose;
use super::{CongestionState, Sender};
use crate::cc::Reduction;
use crate::tail_loss_probe::TailLossProbe;

impl Sender {
    /// Acts on the timer, which has run out.
    pub(super) fn expire(&mut self, purpose: Purpose, now: Time) {
        self.output.hold(Hold::Nothing);
        match purpose {
            Purpose::Retransmission => self.time_out(now),
            Purpose::TailLossProbe => self.probe_tail(now),
            Purpose::Reordering => self.look_again(now),
            Purpose::WindowProbe => self.probe_window(now),
        }
    }

    /// Restarts the retransmission timer, or stops it if nothing is outstanding.
    pub(super) fn restart_timer(&mut self, now: Time) {
        self.timer.restart(self.losses.oldest_sent(), self.round_trips.rto(), now);
    }

    /// Sets the retransmission timer as it was before a timer with an earlier purpose.
    fn resume_timer(&mut self, now: Time) {
        self.timer.resume(self.losses.oldest_sent(), self.round_trips.rto(), now);
    }

    /// Restarts the timer after an acknowledgement: for a tail loss probe where one is allowed.
    pub(super) fn restart_timer_on_ack(&mut self, now: Time) {
        if !self.schedule_tail_probe(self.round_trips.rto(), now) {
            self.restart_timer(now);
        }
    }

    /// Schedules a probe for the last segments of a burst that was sent.
    pub(super) fn schedule_tail_probe_after_burst(&mut self, now: Time) {
        if let Some(oldest_sent) = self.losses.oldest_sent() {
            let deadline = oldest_sent + self.round_trips.rto();
            self.schedule_tail_probe(deadline.since(now), now);
        }
    }

    /// Schedules a tail loss probe (TLP_calc_PTO of RFC 8985 section 7.2). `rto` is the time left
    /// until the timeout; `None` if it is not set. Returns false if no probe is allowed now.
    fn schedule_tail_probe(&mut self, rto: Span, now: Time) -> bool {
        let packets_out = self.losses.board().packets_out();
        let apt = self.losses.has_rack()
            && packets_out > 0
            && matches!(self.phase.state(), CongestionState::Open | CongestionState::Cwr);
        if !apt {
            return false;
        }
        let timeout = TailLossProbe::timeout(self.round_trips.srtt(), packets_out);
        let timeout = if rto.is_zero() { timeout } else { timeout.min(rto) };
        self.timer.set(Purpose::TailLossProbe, now + timeout);
        true
    }

    /// Handles the retransmission timeout (RFC 6298 sections 5.4 to 5.6).
    fn time_out(&mut self, now: Time) {
        if self.losses.board().packets_out() == 0 {
            return;
        }
        self.enter_loss(now);
        self.output.force(Forced::Oldest);
        self.round_trips.back_off();
        self.timer.set(Purpose::Retransmission, now + self.round_trips.rto());
    }

    /// Reduces the window to one segment, and the threshold once for each window (RFC 5681 section
    /// 3.1).
    fn enter_loss(&mut self, now: Time) {
        let has_sack = self.losses.has_sack();
        let again = self.is_reduced_for_timeout();
        self.losses.on_timeout(now);
        if !has_sack && self.phase.state() == CongestionState::Recovery {
            // RFC 5681 section 3.2: what fast recovery added to the window was not in flight.
            self.window.settle();
        }
        if again {
            self.window.time_out_again(now);
        } else {
            self.begin_undo(Some(self.remembered_ssthresh()));
            self.window.reduce(Reduction::Timeout, now);
        }
        self.window.collapse(self.losses.board().pipe());
        self.phase.enter_loss(self.sequence.next(), self.losses.has_rack());
        self.new_reno.begin(self.sequence.next());
        self.probe.cancel();
        self.output.on_reduction(self.options.ecn);
    }

    /// True if the threshold was reduced already for the segments that are outstanding.
    fn is_reduced_for_timeout(&self) -> bool {
        self.sequence.una() < self.phase.high()
            && match self.phase.state() {
                CongestionState::Open | CongestionState::Disorder => false,
                CongestionState::Loss => self.phase.has_timed_out_again(),
                // RFC 5681 section 3.1 holds the threshold only for segments that the timer sent
                // again.
                CongestionState::Cwr | CongestionState::Recovery => self.losses.has_sack(),
            }
    }

    /// Sends a tail loss probe (TLP_send_probe of RFC 8985 section 7.3).
    fn probe_tail(&mut self, now: Time) {
        if self.losses.board().packets_out() > 0 && !self.probe.is_out() {
            self.output.force(Forced::TailProbe);
        } else {
            self.resume_timer(now);
        }
    }

    /// Searches for losses again, because RACK's reordering timer ran out (RFC 8985 section 6.3).
    fn look_again(&mut self, now: Time) {
        let pipe = self.losses.board().pipe();
        let waits = self.detect_by_time(now);
        if self.losses.board().pipe() != pipe && self.phase.state() != CongestionState::Recovery {
            self.enter_recovery(false, now);
            self.window.follow(self.losses.board().pipe(), 1, false);
        }
        if !waits {
            self.resume_timer(now);
        }
    }

    /// Probes the peer's closed window (RFC 9293 section 3.8.6.1).
    fn probe_window(&mut self, now: Time) {
        if self.losses.board().packets_out() > 0 || !self.sequence.has_unsent() {
            return;
        }
        self.timer.on_window_probe();
        self.output.force(Forced::WindowProbe);
        self.timer.await_window(self.round_trips.rto(), now);
    }
}
