//! The states of a sender without SACK: NewReno as in the time of the papers.
//!
//! Specification: RFC 5681 section 3.2, RFC 6582 section 3.2, RFC 3168 section 6.1.2.
//! Deviations: RFC 5681 section 3.1 halves the data in flight; here, as in Linux, the congestion
//! control reduces the window, which cwnd validation keeps near it. Linux uses its recovery with
//! SACK here too, and treats duplicate acknowledgements as selective ones; this file follows the
//! RFCs, except for the timer.

use units::Time;

use super::ack_processing::Heard;
use super::output::Forced;
use super::{Sender, State};
use crate::cc::{CongestionControl, Reduction};

impl Sender {
    /// Moves through the states after an acknowledgement. False if the window must not grow.
    pub(super) fn react_classic(&mut self, heard: &Heard, now: Time) -> bool {
        let mut may_grow = self.state != State::Recovery;
        if heard.advanced {
            self.advance_classic(heard);
        } else if heard.is_duplicate() && self.board.packets_out() > 0 {
            self.duplicate_classic(now);
        }
        if heard.ece {
            may_grow = false;
            if self.state < State::Cwr {
                self.reduce_classic(Reduction::Ecn, now);
                self.window.cwnd = self.window.ssthresh;
                self.state = State::Cwr;
                self.stats.ecn_reductions += 1;
            }
        }
        may_grow
    }

    fn advance_classic(&mut self, heard: &Heard) {
        self.new_reno.on_advance();
        match self.state {
            State::Recovery if self.new_reno.is_full(self.una) => {
                // RFC 6582 section 3.2 step 3, the first choice: no burst.
                let flight = self.board.pipe().max(1) + 1;
                self.window.cwnd = self.window.ssthresh.min(flight);
                self.state = State::Open;
            }
            State::Recovery => {
                // RFC 6582 section 3.2 step 3: deflate by the segments acknowledged, less one.
                let window = &mut self.window;
                window.cwnd = (window.cwnd + 1).saturating_sub(heard.acked).max(1);
                self.resend_oldest();
            }
            State::Loss if self.una >= self.high => self.state = State::Open,
            State::Cwr if self.una > self.high => self.state = State::Open,
            State::Disorder => self.state = State::Open,
            _ => {}
        }
    }

    fn duplicate_classic(&mut self, now: Time) {
        let third = self.new_reno.on_duplicate(self.una);
        match self.state {
            // RFC 5681 section 3.2 step 4.
            State::Recovery => self.window.cwnd += 1,
            State::Loss => {}
            _ if third => {
                if self.state != State::Cwr {
                    self.reduce_classic(Reduction::Loss, now);
                }
                self.new_reno.begin(self.stream.next());
                // RFC 5681 section 3.2 step 3: three segments have left the network.
                self.window.cwnd = self.window.ssthresh.saturating_add(3);
                self.state = State::Recovery;
                self.stats.recoveries += 1;
                self.resend_oldest();
            }
            State::Open => self.state = State::Disorder,
            _ => {}
        }
    }

    fn reduce_classic(&mut self, cause: Reduction, now: Time) {
        self.high = self.stream.next();
        self.window.ssthresh = self.congestion.reduce(&self.window, cause, now);
        self.output.reduced = self.peer.ecn;
    }

    /// Takes the oldest segment for lost, and sends it again whatever the window.
    fn resend_oldest(&mut self) {
        if let Some(oldest) = self.board.oldest() {
            self.board.mark_lost(oldest);
            self.output.forced = Some(Forced::Oldest);
        }
    }
}
