//! The states of a sender without SACK: NewReno as in the time of the papers.
//!
//! Specification: RFC 5681 section 3.2, RFC 6582 section 3.2, RFC 3168 section 6.1.2.
//! Deviations: RFC 5681 section 3.1 halves the data in flight; here, as in Linux, the congestion
//! control reduces the window, which cwnd validation keeps near it. Linux uses its recovery with
//! SACK here too, and treats duplicate acknowledgements as selective ones; this file follows the
//! RFCs, except for the timer.

use units::Time;

use super::ack_processing::AckContent;
use super::output::Forced;
use super::{CongestionState, Sender};
use crate::cc::Reduction;

impl Sender {
    /// Moves through the states after an acknowledgement. Returns false if the window must not
    /// grow.
    pub(super) fn react_classic(&mut self, content: &AckContent, now: Time) -> bool {
        let mut may_grow = self.phase.state() != CongestionState::Recovery;
        if content.advanced {
            self.advance_classic(content);
        } else if content.is_duplicate() && self.losses.board().packets_out() > 0 {
            self.duplicate_classic(now);
        }
        if content.ece {
            may_grow = false;
            if self.phase.state() < CongestionState::Cwr {
                self.begin_reduction(Reduction::Ecn, now);
                self.window.settle();
                self.phase.enter_cwr();
            }
        }
        may_grow
    }

    fn advance_classic(&mut self, content: &AckContent) {
        self.new_reno.on_advance();
        let una = self.sequence.una();
        match self.phase.state() {
            CongestionState::Recovery if self.new_reno.is_full(una) => {
                self.window.end_inflation(self.losses.board().pipe());
                self.phase.open();
            }
            CongestionState::Recovery => {
                self.window.deflate(content.acked);
                self.resend_oldest();
            }
            CongestionState::Loss if una >= self.phase.high() => self.phase.open(),
            CongestionState::Cwr if una > self.phase.high() => self.phase.open(),
            CongestionState::Disorder => self.phase.open(),
            _ => {}
        }
    }

    fn duplicate_classic(&mut self, now: Time) {
        let third = self.new_reno.on_duplicate(self.sequence.una());
        match self.phase.state() {
            CongestionState::Recovery => self.window.inflate(),
            CongestionState::Loss => {}
            state if third => {
                if state != CongestionState::Cwr {
                    self.begin_reduction(Reduction::Loss, now);
                }
                self.new_reno.begin(self.sequence.next());
                self.window.begin_inflation();
                self.phase.enter_recovery();
                self.resend_oldest();
            }
            CongestionState::Open => self.phase.disorder(),
            _ => {}
        }
    }

    /// Takes the oldest segment for lost, and sends it again whatever the window.
    fn resend_oldest(&mut self) {
        if self.losses.lose_oldest() {
            self.output.force(Forced::Oldest);
        }
    }
}
