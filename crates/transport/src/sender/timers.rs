//! The one timer of a sender, and what happens when it runs out.
//!
//! There is one deadline at a time: the retransmission timeout, or before it a tail loss probe or
//! the end of RACK's reordering window, or a probe of a closed window.
//!
//! Specification: RFC 6298 section 5, RFC 8985 sections 6.3 and 7, RFC 9293 section 3.8.6.1;
//! Linux 6.1 `tcp_rearm_rto`, `tcp_retransmit_timer`, `tcp_enter_loss`, `tcp_probe_timer`.
//! Deviations: RFC 9293 section 3.8.3: a connection is never given up.

use units::{Span, Time};

use super::output::{Forced, Hold};
use super::{Sender, State};
use crate::cc::{CongestionControl, Reduction, Window};
use crate::config::LossDetection;
use crate::rtt::LONGEST_TIMEOUT;
use crate::tail_loss_probe::TailLossProbe;

/// The shortest time to a probe. RFC 9293 section 3.8.6.1 leaves it open; Linux never probes
/// sooner.
const SHORTEST_WINDOW_PROBE: Span = Span::from_millis(200);

/// The purpose of the timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    Retransmission,
    TailLossProbe,
    Reordering,
    WindowProbe,
}

impl Sender {
    /// The timer has run out.
    pub(super) fn expire(&mut self, timer: Timer, now: Time) {
        self.timer = None;
        self.output.hold = Hold::Nothing;
        match timer {
            Timer::Retransmission => self.time_out(now),
            Timer::TailLossProbe => self.probe_tail(now),
            Timer::Reordering => self.look_again(now),
            Timer::WindowProbe => self.probe_window(now),
        }
        self.stats.lost = self.board.lost_ever();
    }

    /// RFC 6298 sections 5.2 and 5.3. If an earlier timer had replaced the timeout, the timeout
    /// counts from the time at which the oldest segment was sent.
    pub(super) fn restart_timer(&mut self, now: Time) {
        let Some(oldest) = self.board.oldest() else {
            self.timer = None;
            return;
        };
        let rto = self.rtt.rto();
        let deferred = matches!(self.timer, Some((_, Timer::TailLossProbe | Timer::Reordering)));
        let deadline = if deferred {
            (self.board.get(oldest).sent + rto).max(now + Span::from_nanos(1))
        } else {
            now + rto
        };
        self.timer = Some((deadline, Timer::Retransmission));
    }

    /// Restarts the timer after an acknowledgement: for a tail loss probe where one is allowed.
    pub(super) fn restart_timer_on_ack(&mut self, now: Time) {
        if !self.schedule_tail_probe(self.rtt.rto(), now) {
            self.restart_timer(now);
        }
    }

    /// Schedules a probe for the last segments of a burst that was sent.
    pub(super) fn schedule_tail_probe_after_burst(&mut self, now: Time) {
        if let Some(oldest) = self.board.oldest() {
            let deadline = self.board.get(oldest).sent + self.rtt.rto();
            self.schedule_tail_probe(deadline.since(now), now);
        }
    }

    /// RFC 8985 section 7.2, TLP_calc_PTO. `rto`: the time left until the timeout, if any. False if
    /// no probe is allowed now.
    fn schedule_tail_probe(&mut self, rto: Span, now: Time) -> bool {
        let packets_out = self.board.packets_out();
        let apt = self.detection == LossDetection::RackTlp
            && packets_out > 0
            && matches!(self.state, State::Open | State::Cwr);
        if !apt {
            return false;
        }
        let timeout = TailLossProbe::timeout(&self.rtt, packets_out);
        let timeout = if rto.is_zero() { timeout } else { timeout.min(rto) };
        self.timer = Some((now + timeout, Timer::TailLossProbe));
        true
    }

    /// RFC 9293 section 3.8.6.1: nothing is outstanding, and the window admits nothing.
    pub(super) fn schedule_window_probe(&mut self, now: Time) {
        let patience = self.rtt.rto().max(SHORTEST_WINDOW_PROBE);
        let backed_off = patience * (1 << self.window_probes.min(16));
        self.timer = Some((now + backed_off.min(LONGEST_TIMEOUT), Timer::WindowProbe));
    }

    /// RFC 6298 sections 5.4 to 5.6.
    fn time_out(&mut self, now: Time) {
        if self.board.packets_out() == 0 {
            return;
        }
        self.enter_loss(now);
        self.timeouts += 1;
        self.stats.timeouts += 1;
        self.output.forced = Some(Forced::Oldest);
        self.rtt.back_off();
        self.timer = Some((now + self.rtt.rto(), Timer::Retransmission));
    }

    /// RFC 5681 section 3.1: the window falls to one segment, the threshold once a window.
    fn enter_loss(&mut self, now: Time) {
        let fresh = self.state < State::Recovery;
        let rack = self.rack.clone();
        let timed = self.detection == LossDetection::RackTlp;
        if self.board.mark_all_lost(|record| timed && rack.is_recent(record, now)) {
            self.frontier.forget(&self.board);
        }
        let again = self.una < self.high
            && match self.state {
                State::Open | State::Disorder => false,
                State::Loss => self.timeouts > 0,
                // RFC 5681 section 3.1 holds the threshold only for segments that the timer sent
                // again.
                _ => self.detection != LossDetection::DuplicateAcks,
            };
        let threshold = self.congestion.reduce(&self.true_window(), Reduction::Timeout, now);
        if !again {
            self.undo.begin(self.una, self.board.retransmitted(), Some(self.remembered_ssthresh()));
            self.prr.begin(self.window.cwnd);
            self.window.ssthresh = threshold;
        }
        self.window.cwnd = self.board.pipe() + 1;
        self.frto = timed && (fresh || self.timeouts > 0);
        self.state = State::Loss;
        self.high = self.stream.next();
        self.probe.cancel();
        self.new_reno.begin(self.high);
        self.frontier.on_recovery(&self.board);
        self.output.reduced = self.peer.ecn;
    }

    /// The window without the inflation by fast recovery, which was not in flight (RFC 5681 section
    /// 3.2).
    fn true_window(&self) -> Window {
        let inflated =
            self.detection == LossDetection::DuplicateAcks && self.state == State::Recovery;
        let cwnd = if inflated { self.window.ssthresh } else { self.window.cwnd };
        Window { cwnd, ..self.window }
    }

    /// RFC 8985 section 7.3, TLP_send_probe.
    fn probe_tail(&mut self, now: Time) {
        if self.board.packets_out() > 0 && !self.probe.is_out() {
            self.output.forced = Some(Forced::TailProbe);
        } else {
            // As if the probe's timer were still set: the timeout counts from the oldest segment.
            self.timer = Some((now, Timer::TailLossProbe));
            self.restart_timer(now);
        }
    }

    /// RFC 8985 section 6.3: RACK's reordering timer ran out.
    fn look_again(&mut self, now: Time) {
        let pipe = self.board.pipe();
        self.timer = Some((now, Timer::Reordering));
        let waits = self.detect_by_time(now);
        if self.board.pipe() != pipe && self.state != State::Recovery {
            self.enter_recovery(false, now);
            self.fall(1, false);
        }
        if !waits {
            self.restart_timer(now);
        }
    }

    /// RFC 9293 section 3.8.6.1.
    fn probe_window(&mut self, now: Time) {
        if self.board.packets_out() > 0 || !self.stream.has_unsent() {
            return;
        }
        self.window_probes += 1;
        self.output.forced = Some(Forced::WindowProbe);
        self.schedule_window_probe(now);
    }
}
