//! Choosing the next segment to send: lost ones first, then new ones, while the windows allow.
//!
//! Specification: RFC 6675 section 4 (NextSeg), RFC 5681 sections 3.1 and 4.1, RFC 3042,
//! RFC 3168 sections 6.1.2 and 6.1.5, RFC 9293 section 3.8.6; Linux 6.1
//! `tcp_xmit_retransmit_queue`, `tcp_write_xmit`.
//! Deviations: RFC 6691: a SACK option on a data segment does not shrink its payload, because
//! segments are never cut anew; with one-way traffic none carries both. RFC 9293 section
//! 3.8.6.2.1: a window below two segments is not used by halves, as that would cut segments short.

use units::Time;

use super::timers::Timer;
use super::{Outgoing, Sender, State};
use crate::cc::CongestionControl;
use crate::config::LossDetection;
use crate::scoreboard::{Id, Mark};
use crate::stream::Piece;
use crate::usage::Burst;

/// The state of the output from one segment to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    /// A segment that is sent whatever the congestion window.
    pub(super) forced: Option<Forced>,
    /// Segments that must wait until the next acknowledgement.
    pub(super) hold: Hold,
    /// True if the window was reduced, which the next new segment reports (RFC 3168 section 6.1.2).
    pub(super) reduced: bool,
    /// New segments sent in the current burst, which ends when nothing more is to be sent now.
    burst: u32,
    /// Segments still to be sent together with those before.
    pub(super) together: u32,
    /// True if segments that the window allows wait to leave with more.
    deferred: bool,
    /// True if a segment waits for its time by pacing.
    pub(super) paced: bool,
    /// The time at which the last segment was sent; `None` before any.
    pub(super) last: Option<Time>,
}

/// A segment that a timer or a duplicate acknowledgement calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forced {
    /// The oldest segment again.
    Oldest,
    /// A tail loss probe.
    TailProbe,
    /// A probe of the closed window.
    WindowProbe,
}

/// The segments that must wait until the next acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Hold {
    #[default]
    Nothing,
    /// Lost segments wait.
    Retransmissions,
    /// Lost segments wait if new data can be sent (RFC 5682 section 3.1 step 2.b).
    UntilNew,
}

/// The choice of the next segment.
enum Choice {
    Lost(Id),
    New(Piece),
    /// RFC 6675 section 4, NextSeg rule 3.
    Eager(Id),
    /// NextSeg rule 4.
    Rescue(Id),
}

impl Sender {
    /// The next segment to send now, if any.
    pub(super) fn next_segment(&mut self, now: Time) -> Option<Outgoing> {
        (self.output.paced, self.output.deferred) = (false, false);
        if self.is_silent() {
            return None;
        }
        if let Some(forced) = self.output.forced.take()
            && let Some(segment) = self.send_forced(forced, now)
        {
            return Some(segment);
        }
        let Some(choice) = self.choose() else {
            self.end_burst(now);
            return None;
        };
        let is_paced = self.pacing.is_enabled() && self.output.together == 0;
        self.output.paced = is_paced && self.pacing.next() > now;
        self.output.deferred = matches!(choice, Choice::New(_)) && self.defers(now);
        if self.output.paced || self.output.deferred {
            self.end_burst(now);
            return None;
        }
        Some(match choice {
            Choice::New(piece) => self.send_new(&piece, now),
            Choice::Lost(id) | Choice::Eager(id) => self.send_again(id, now),
            Choice::Rescue(id) => {
                self.frontier.on_rescued(self.high);
                self.send_again(id, now)
            }
        })
    }

    /// True if nothing is outstanding and nothing is to be sent. It saves time in an end that only
    /// receives, which is polled with every acknowledgement that it sends.
    fn is_silent(&self) -> bool {
        let Output { forced, hold, burst, .. } = &self.output;
        self.board.packets_out() == 0
            && !self.stream.has_unsent()
            && (*forced, *hold, *burst) == (None, Hold::Nothing, 0)
    }

    fn choose(&mut self) -> Option<Choice> {
        let (pipe, cwnd) = (self.board.pipe(), self.window.cwnd);
        let has_room = pipe < cwnd;
        if self.output.hold == Hold::UntilNew {
            if let Some(piece) = self.next_piece().filter(|_| has_room) {
                return Some(Choice::New(piece));
            }
            self.frto &= self.stream.next() > self.high;
            let hold = if self.frto { Hold::Retransmissions } else { Hold::Nothing };
            self.output.hold = hold;
        }
        let free = has_room && self.output.hold == Hold::Nothing;
        if free && let Some(id) = self.next_lost() {
            return Some(Choice::Lost(id));
        }
        if pipe < cwnd.saturating_add(self.limited_transmit())
            && let Some(piece) = self.next_piece()
        {
            return Some(Choice::New(piece));
        }
        if free && self.detection == LossDetection::Scoreboard && self.state == State::Recovery {
            if let Some(id) = self.frontier.eager(&mut self.board) {
                return Some(Choice::Eager(id));
            }
            return self.frontier.rescue(&self.board, self.una).map(Choice::Rescue);
        }
        None
    }

    /// The lowest lost segment, if the receiver still has room for it. The oldest segment is sent
    /// even into a closed window, as a probe.
    fn next_lost(&mut self) -> Option<Id> {
        let id = self.board.next_lost()?;
        let fits = self.board.get(id).end() <= self.window_end;
        (fits || Some(id) == self.board.oldest()).then_some(id)
    }

    /// RFC 9293 section 3.8.6.2.1: a full segment or the end of the data written; or less, if it is
    /// at least half of the largest window that the peer ever announced.
    pub(super) fn next_piece(&self) -> Option<Piece> {
        self.stream.peek(self.peer.mss, self.window_end).or_else(|| {
            let room = self.window_end.saturating_sub(self.stream.next());
            let is_half = room > 0 && room >= self.largest_window.div_ceil(2);
            is_half.then(|| self.stream.peek_cut(self.peer.mss, self.window_end)).flatten()
        })
    }

    /// RFC 3042, for the sender without SACK; with SACK, a delivered segment makes room anyway.
    fn limited_transmit(&self) -> u32 {
        let apt = self.detection == LossDetection::DuplicateAcks && self.state <= State::Disorder;
        if apt { self.new_reno.limited_transmit() } else { 0 }
    }

    fn send_forced(&mut self, forced: Forced, now: Time) -> Option<Outgoing> {
        match forced {
            Forced::Oldest => {
                let oldest = self.board.oldest()?;
                Some(self.send_again(oldest, now))
            }
            Forced::TailProbe => self.send_tail_probe(now),
            Forced::WindowProbe => Some(self.send_window_probe(now)),
        }
    }

    /// RFC 8985 section 7.3: new data if there is some and the receiver has room, else the last
    /// segment again.
    fn send_tail_probe(&mut self, now: Time) -> Option<Outgoing> {
        let segment = match self.next_piece() {
            Some(piece) => self.send_new(&piece, now),
            None => {
                let newest = self.board.newest()?;
                self.board.mark_sent_again(newest, now);
                self.outgoing_again(newest, now)
            }
        };
        self.stats.tail_loss_probes += 1;
        self.probe.on_sent(self.stream.next(), segment.retransmission);
        // One probe at a time: after it comes the timeout.
        self.output.burst = 0;
        self.timer = None;
        self.restart_timer(now);
        Some(segment)
    }

    /// RFC 9293 section 3.8.6.1: data that the window admits (section 3.8.6.2.1), else a segment
    /// from before the window, which the peer must answer.
    fn send_window_probe(&mut self, now: Time) -> Outgoing {
        self.stats.window_probes += 1;
        if let Some(piece) = self.stream.peek_cut(self.peer.mss, self.window_end) {
            self.timer = None;
            return self.send_new(&piece, now);
        }
        Outgoing {
            seq: self.una - 1,
            len: 0,
            fin: false,
            push: false,
            retransmission: false,
            ect: false,
            cwr: false,
        }
    }

    fn send_new(&mut self, piece: &Piece, now: Time) -> Outgoing {
        let (idle, rto) = (now.since(self.output.last.unwrap_or(now)), self.rtt.rto());
        let was_empty = self.board.packets_out() == 0;
        if was_empty && idle > rto {
            self.usage.restart(&mut self.window, self.initial_window, idle, rto, now);
        }
        if self.board.pipe() == 0 {
            self.congestion.on_restart(idle, now);
        }
        let ends_super_packet = self.ends_super_packet();
        self.board.push(piece, now);
        self.stream.advance(piece);
        if was_empty || matches!(self.timer, Some((_, Timer::TailLossProbe))) {
            self.restart_timer(now);
        }
        self.output.burst += 1;
        let ect = self.peer.ecn && piece.len > 0;
        let cwr = ect && core::mem::take(&mut self.output.reduced);
        let Piece { seq, len, fin, push } = *piece;
        self.count_sent(len, now);
        let push = push || ends_super_packet;
        Outgoing { seq, len, fin, push, retransmission: false, ect, cwr }
    }

    fn send_again(&mut self, id: Id, now: Time) -> Outgoing {
        self.board.mark_retransmitted(id, now);
        self.undo.on_retransmission(now);
        // RFC 6582 section 3.2 step 3 restarts the timer on acknowledgements only; Linux also
        // when the oldest segment is sent again.
        let is_linux = self.detection != LossDetection::DuplicateAcks;
        let is_timed = matches!(self.timer, Some((_, Timer::Reordering)));
        if self.board.oldest() == Some(id) && is_linux && !is_timed {
            self.timer = Some((now + self.rtt.rto(), Timer::Retransmission));
        }
        self.outgoing_again(id, now)
    }

    fn outgoing_again(&mut self, id: Id, now: Time) -> Outgoing {
        let record = self.board.get(id);
        let (seq, len) = (record.seq, record.len());
        let (fin, push) = (record.is(Mark::FIN), record.is(Mark::PUSH));
        self.count_sent(len, now);
        self.stats.retransmitted += 1;
        // RFC 3168 section 6.1.5: no ECT on a retransmission.
        Outgoing { seq, len, fin, push, retransmission: true, ect: false, cwr: false }
    }

    fn count_sent(&mut self, len: u32, now: Time) {
        self.stats.segments += 1;
        self.stats.bytes.0 += u64::from(len);
        if self.is_reducing() {
            self.prr.on_sent();
        }
        self.pacing.on_sent(len, now);
        self.output.last = Some(now);
    }

    /// Ends the burst, because nothing more is to be sent now, and notes if the window ended it.
    fn end_burst(&mut self, now: Time) {
        let sent = core::mem::take(&mut self.output.burst);
        self.output.together = 0;
        let waits = self.stream.has_unsent();
        let limited = self.output.deferred || self.board.pipe() >= self.window.cwnd;
        if sent > 0 || (waits && limited) {
            let burst = Burst {
                limited,
                packets_out: self.board.packets_out(),
                una: self.una,
                next: self.stream.next(),
            };
            let unused = self.usage.on_burst(&burst, &self.window, self.rtt.rto(), now);
            if unused && self.state == State::Open && !waits {
                self.usage.shrink(&mut self.window, self.initial_window, now);
            }
        }
        if sent > 0 {
            self.schedule_tail_probe_after_burst(now);
        }
        let stuck = waits && self.board.packets_out() == 0 && !self.output.paced;
        if stuck && self.timer.is_none() {
            self.schedule_window_probe(now);
        }
    }

    /// The time until which pacing holds back a segment; `None` if it holds back none.
    pub(super) fn paced_until(&self) -> Option<Time> {
        self.output.paced.then(|| self.pacing.next())
    }
}
