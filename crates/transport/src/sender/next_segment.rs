//! Choosing the next segment to send: lost ones first, then new ones, while the windows allow.
//!
//! Specification: RFC 6675 section 4 (NextSeg), RFC 5681 sections 3.1 and 4.1, RFC 3042,
//! RFC 3168 sections 6.1.2 and 6.1.5, RFC 9293 section 3.8.6; Linux 6.1
//! `tcp_xmit_retransmit_queue`, `tcp_write_xmit`.
//! Deviations: RFC 6691: a SACK option on a data segment does not shrink its payload, because
//! segments are never cut anew; with one-way traffic none carries both.

use units::Time;

use super::output::{Forced, Hold};
use super::timer::Purpose;
use super::{CongestionState, Outgoing, Sender};
use crate::config::LossDetection;
use crate::scoreboard::{Id, Mark};
use crate::segment::Flags;
use crate::stream::Piece;
use crate::usage::Burst;

/// The choice of the next segment.
enum Choice {
    New(Piece),
    /// A lost segment, or one by NextSeg rule 3 (RFC 6675 section 4).
    Again(Id),
    /// A segment by NextSeg rule 4 (RFC 6675 section 4).
    Rescue(Id),
}

impl Sender {
    /// The next segment to send now; `None` if there is none.
    pub(super) fn next_segment(&mut self, now: Time) -> Option<Outgoing> {
        self.output.begin_choice();
        if self.is_silent() {
            return None;
        }
        if self.output.is_forced()
            && let Some(segment) = self.send_forced(now)
        {
            return Some(segment);
        }
        let Some(choice) = self.choose() else {
            self.end_burst(now);
            return None;
        };
        let defers = matches!(choice, Choice::New(_)) && self.defers(now);
        if self.output.waits(defers, now) {
            self.end_burst(now);
            return None;
        }
        Some(match choice {
            Choice::New(piece) => self.send_new(&piece, now),
            Choice::Again(id) => self.send_again(id, now),
            Choice::Rescue(id) => {
                self.losses.on_rescued(self.phase.high());
                self.send_again(id, now)
            }
        })
    }

    /// True if nothing is outstanding and nothing is to be sent. This saves time in an end that
    /// only receives, which is polled with every acknowledgement that it sends.
    fn is_silent(&self) -> bool {
        self.losses.board().packets_out() == 0
            && !self.sequence.has_unsent()
            && self.output.is_idle()
    }

    fn choose(&mut self) -> Option<Choice> {
        let (pipe, cwnd) = (self.losses.board().pipe(), self.window.cwnd());
        let has_room = pipe < cwnd;
        if self.output.held() == Hold::UntilNew {
            if let Some(piece) = self.next_piece().filter(|_| has_room) {
                return Some(Choice::New(piece));
            }
            if self.sequence.next() <= self.phase.high() {
                self.phase.confirm_timeout();
            }
            let tests = self.phase.may_be_spurious();
            self.output.hold(if tests { Hold::Retransmissions } else { Hold::Nothing });
        }
        let free = has_room && self.output.held() == Hold::Nothing;
        if free && let Some(id) = self.next_lost() {
            return Some(Choice::Again(id));
        }
        if pipe < cwnd.saturating_add(self.limited_transmit())
            && let Some(piece) = self.next_piece()
        {
            return Some(Choice::New(piece));
        }
        let by_scoreboard = self.losses.detection() == LossDetection::Scoreboard;
        if free && by_scoreboard && self.phase.state() == CongestionState::Recovery {
            if let Some(id) = self.losses.eager() {
                return Some(Choice::Again(id));
            }
            return self.losses.rescue(self.sequence.una()).map(Choice::Rescue);
        }
        None
    }

    /// The lowest lost segment, if the receiver still has room for it; `None` otherwise. The oldest
    /// segment is sent even into a closed window, as a probe.
    fn next_lost(&mut self) -> Option<Id> {
        let id = self.losses.next_lost()?;
        let board = self.losses.board();
        let fits = self.sequence.accepts(board.get(id).end());
        (fits || Some(id) == board.oldest()).then_some(id)
    }

    /// The next data that was never sent and that the peer accepts; `None` if there is none.
    #[inline]
    pub(super) fn next_piece(&self) -> Option<Piece> {
        self.sequence.next_piece(self.options.mss)
    }

    /// The number of segments beyond the window that a sender without SACK may send (RFC 3042).
    /// With SACK, a delivered segment makes room anyway.
    fn limited_transmit(&self) -> u32 {
        if self.losses.has_sack() || self.phase.state() > CongestionState::Disorder {
            return 0;
        }
        self.new_reno.limited_transmit()
    }

    #[cold]
    fn send_forced(&mut self, now: Time) -> Option<Outgoing> {
        match self.output.take_forced()? {
            Forced::Oldest => {
                let oldest = self.losses.board().oldest()?;
                Some(self.send_again(oldest, now))
            }
            Forced::TailProbe => self.send_tail_probe(now),
            Forced::WindowProbe => Some(self.send_window_probe(now)),
        }
    }

    /// Sends a tail loss probe: new data if there is some and the receiver has room, else the last
    /// segment again (RFC 8985 section 7.3).
    fn send_tail_probe(&mut self, now: Time) -> Option<Outgoing> {
        let segment = match self.next_piece() {
            Some(piece) => self.send_probe(&piece, now),
            None => {
                let newest = self.losses.board().newest()?;
                self.losses.on_probed(newest, now);
                self.outgoing_again(newest, now)
            }
        };
        self.output.on_tail_probe();
        self.probe.on_sent(self.sequence.next(), segment.retransmission);
        // One probe at a time: after it comes the timeout.
        self.output.take_burst();
        self.timer.stop();
        self.restart_timer(now);
        Some(segment)
    }

    /// Sends a probe of a closed window (RFC 9293 section 3.8.6.1): data that the window admits
    /// (section 3.8.6.2.1), else a segment from before the window, which the peer must answer.
    fn send_window_probe(&mut self, now: Time) -> Outgoing {
        self.output.on_window_probe();
        if let Some(piece) = self.sequence.next_piece_cut(self.options.mss) {
            self.timer.stop();
            return self.send_probe(&piece, now);
        }
        let seq = self.sequence.una() - 1;
        Outgoing { seq, len: 0, flags: Flags::NONE, retransmission: false, ect: false }
    }

    /// Sends new data as a probe.
    #[cold]
    fn send_probe(&mut self, piece: &Piece, now: Time) -> Outgoing {
        self.send_new(piece, now)
    }

    // In line, always: a segment passes through registers then, not through memory.
    #[inline(always)]
    fn send_new(&mut self, piece: &Piece, now: Time) -> Outgoing {
        let was_empty = self.losses.board().packets_out() == 0;
        if self.losses.board().pipe() == 0 {
            self.end_idleness(was_empty, now);
        }
        let ends_super_packet = self.ends_super_packet();
        self.losses.on_sent(piece, now);
        self.sequence.on_sent(piece);
        if was_empty || self.timer.is_for(Purpose::TailLossProbe) {
            self.restart_timer(now);
        }
        let ect = self.options.ecn && piece.len > 0;
        let cwr = ect && self.output.take_reduced();
        let Piece { seq, len, fin, push } = *piece;
        self.on_sent(len, now);
        let flags = Flags::FIN.when(fin)
            | Flags::PSH.when(push || ends_super_packet)
            | Flags::CWR.when(cwr);
        Outgoing { seq, len, flags, retransmission: false, ect }
    }

    /// Takes notice that data is sent while nothing is in flight, or nothing is outstanding if
    /// `was_empty`.
    #[cold]
    fn end_idleness(&mut self, was_empty: bool, now: Time) {
        let idle = self.output.idle(now);
        if was_empty {
            self.window.on_idle(idle, self.round_trips.rto(), now);
        }
        self.window.on_restart(idle, now);
    }

    fn send_again(&mut self, id: Id, now: Time) -> Outgoing {
        self.losses.on_retransmitted(id, now);
        self.undo.on_retransmission(now);
        // RFC 6582 section 3.2 step 3 restarts the timer on acknowledgements only; Linux also
        // when the oldest segment is sent again.
        let is_linux = self.losses.has_sack();
        let is_oldest = self.losses.board().oldest() == Some(id);
        if is_oldest && is_linux && !self.timer.is_for(Purpose::Reordering) {
            self.timer.set(Purpose::Retransmission, now + self.round_trips.rto());
        }
        self.outgoing_again(id, now)
    }

    fn outgoing_again(&mut self, id: Id, now: Time) -> Outgoing {
        let record = self.losses.board().get(id);
        let (seq, len) = (record.seq, record.len());
        let flags = Flags::FIN.when(record.is(Mark::FIN)) | Flags::PSH.when(record.is(Mark::PUSH));
        self.on_sent(len, now);
        self.output.on_retransmission();
        // RFC 3168 section 6.1.5: no ECT on a retransmission.
        Outgoing { seq, len, flags, retransmission: true, ect: false }
    }

    fn on_sent(&mut self, len: u32, now: Time) {
        if self.is_reducing() {
            self.window.on_sent_in_reduction();
        }
        self.output.on_sent(len, now);
    }

    /// Ends the burst, because no segment can be sent now, and notes if the window ended it.
    #[inline(always)]
    fn end_burst(&mut self, now: Time) {
        let sent = self.output.take_burst();
        self.output.end_super_packet();
        let (board, sequence) = (self.losses.board(), &self.sequence);
        let waits = sequence.has_unsent();
        let limited = board.pipe() >= self.window.cwnd() || self.is_deferred_by_window();
        if sent > 0 || (waits && limited) {
            let burst = Burst {
                limited,
                packets_out: board.packets_out(),
                una: sequence.una(),
                next: sequence.next(),
            };
            let may_shrink = self.phase.state() == CongestionState::Open && !waits;
            self.window.on_burst(&burst, may_shrink, self.round_trips.rto(), now);
        }
        if sent > 0 {
            self.schedule_tail_probe_after_burst(now);
        }
        let is_paced = self.output.paced_until().is_some();
        let stuck = waits && self.losses.board().packets_out() == 0 && !is_paced;
        if stuck && !self.timer.is_set() {
            self.timer.await_window(self.round_trips.rto(), now);
        }
    }
}
