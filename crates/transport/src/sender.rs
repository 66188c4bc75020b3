//! The sending half of a TCP connection: what to send, when, and how much at once.
//!
//! The caller passes to it what the application writes and what the peer acknowledges. The sender
//! returns the segments to send and the time of its next timer. Windows are counted in segments, as
//! in Linux; a segment that was sent once is never cut or joined anew.
//!
//! A [`Sender`] consists of parts, each in a file that alone changes it: the sequence space, the
//! outstanding segments and their losses, the congestion window, the congestion state, the
//! round-trip times, the reduction that may be taken back, the timer, and the output. The other
//! files have the events: an acknowledgement is read, the state changes, the timer runs out, the
//! next segment is chosen.
//!
//! Specification: RFC 9293, RFC 5681, RFC 6298, and those that the parts name; where they leave a
//! choice, Linux 6.1's. Deviations: see the parts.

mod ack_processing;
mod classic;
mod congestion_window;
mod expiry;
mod losses;
mod next_segment;
mod offload;
mod output;
mod phase;
mod queries;
mod recovery;
mod round_trips;
mod sequence;
#[cfg(test)]
mod tests;
mod timer;
mod types;
mod undo;

use units::{Span, Time};

pub use types::{Acknowledgement, CongestionState, Negotiated, Outgoing, SenderStats};

use crate::cc::Acked;
use crate::config::Config;
use crate::new_reno::NewReno;
use crate::tail_loss_probe::TailLossProbe;
use ack_processing::AckContent;
use congestion_window::CongestionWindow;
use losses::Losses;
use output::Output;
use phase::Phase;
use round_trips::RoundTrips;
use sequence::SendSequence;
use timer::{Purpose, Timer};
use undo::Undo;

/// The sequence number of the first data; the SYN takes the one before.
pub(crate) const FIRST_DATA: u64 = 1;

/// The sending half of a TCP connection.
#[derive(Clone, Debug)]
pub struct Sender {
    options: Options,
    is_established: bool,
    sequence: SendSequence,
    losses: Losses,
    /// The fast recovery without SACK.
    new_reno: NewReno,
    window: CongestionWindow,
    phase: Phase,
    round_trips: RoundTrips,
    undo: Undo,
    probe: TailLossProbe,
    timer: Timer,
    output: Output,
}

/// The options that the handshake agreed on, except those that a part keeps.
#[derive(Clone, Copy, Debug)]
struct Options {
    /// The payload of a full segment, in bytes.
    mss: u32,
    /// True if segments carry timestamps (RFC 7323).
    timestamps: bool,
    /// True if ECN was negotiated (RFC 3168 section 6.1.1).
    ecn: bool,
}

impl Sender {
    /// Creates a sender that waits for its handshake. Data starts at sequence number 1.
    pub fn new(config: &Config) -> Self {
        Self {
            options: Options { mss: config.mss.max(1), timestamps: false, ecn: false },
            is_established: false,
            sequence: SendSequence::new(),
            losses: Losses::new(config.loss_detection),
            new_reno: NewReno::default(),
            window: CongestionWindow::new(config),
            phase: Phase::new(FIRST_DATA),
            round_trips: RoundTrips::new(config.rto_floor),
            undo: Undo::default(),
            probe: TailLossProbe::default(),
            timer: Timer::default(),
            output: Output::new(config),
        }
    }

    /// Takes notice that the handshake is complete. `handshake_rtt` is its round-trip time; `None`
    /// if a SYN was sent again and its acknowledgement, without timestamps, may be for either
    /// (Karn's algorithm).
    pub fn established(&mut self, peer: Negotiated, handshake_rtt: Option<Span>, now: Time) {
        // RFC 9293 section 3.7.1: the option has 16 bits.
        let mss = peer.mss.clamp(1, u32::from(u16::MAX));
        self.options = Options { mss, timestamps: peer.timestamps, ecn: peer.ecn };
        self.losses.open(mss, peer.sack);
        self.sequence.open(peer.window);
        self.window.open(mss);
        match handshake_rtt {
            Some(rtt) => {
                self.round_trips.sample(rtt, rtt, &self.sequence, now);
                self.update_pacing();
            }
            // DEVIATES RFC 5681 section 3.1: the window stays as it is after a lost SYN, as in
            // Linux unless several were lost.
            None => self.round_trips.on_lost_syn(),
        }
        self.is_established = true;
    }

    /// Appends `bytes` bytes to the data to be sent; `u64::MAX` is data without end. Nothing is
    /// appended after the end of the stream.
    pub fn write(&mut self, bytes: u64) {
        self.sequence.stream_mut().write(bytes);
    }

    /// Ends the stream with a FIN after the last byte written; a stream without end stops after the
    /// last byte sent.
    pub fn finish(&mut self) {
        self.sequence.stream_mut().finish();
    }

    /// Ends the stream with a FIN after the last byte sent; data written but not yet sent is
    /// dropped.
    pub fn abandon(&mut self) {
        self.sequence.stream_mut().abandon();
    }

    /// Takes an acknowledgement. An acknowledgement of data that was never sent is ignored (RFC
    /// 9293 section 3.10.7.4).
    pub fn on_ack(&mut self, ack: &Acknowledgement, now: Time) {
        if ack.ack > self.sequence.next() || !self.is_established {
            return;
        }
        let was_idle = self.losses.board().packets_out() == 0;
        if was_idle && self.is_known(ack) {
            return;
        }
        let lost_before = self.losses.board().lost_ever();
        let mut content = AckContent::default();
        self.read_ack(ack, now, &mut content);
        if was_idle {
            self.on_ack_while_idle(&mut content, now);
            return;
        }
        let may_grow = if self.losses.has_sack() {
            self.react(&mut content, now);
            true
        } else {
            self.react_classic(&content, now)
        };
        if content.restarts_timer {
            self.restart_timer_on_ack(now);
        }
        if self.is_reducing() {
            let board = self.losses.board();
            let is_safe = content.advanced && board.lost_ever() == lost_before;
            self.window.follow(board.pipe(), content.delivered, is_safe);
        }
        self.tell_congestion_control(&content, may_grow, now);
        self.update_pacing();
    }

    /// Returns the next segment to send now; `None` if there is none. To be called until it returns
    /// `None`, after every other call that changes the sender.
    pub fn poll(&mut self, now: Time) -> Option<Outgoing> {
        if !self.is_established {
            return None;
        }
        self.next_segment(now)
    }

    /// The time at which [`Sender::on_timer`] is to be called; `None` if no timer is set. Every
    /// other call may change this time.
    pub fn next_timer(&self) -> Option<Time> {
        Time::earliest(self.timer.deadline(), self.output.paced_until())
    }

    /// Runs the timer if its time has come; an earlier call does nothing.
    pub fn on_timer(&mut self, now: Time) {
        if let Some(purpose) = self.timer.take_expired(now) {
            self.expire(purpose, now);
        }
    }

    /// True if `ack` is not new while nothing is outstanding, as with every segment of a peer that
    /// sends data and gets none.
    fn is_known(&self, ack: &Acknowledgement) -> bool {
        self.sequence.is_known(ack.ack, ack.window)
            && ack.sack.is_empty()
            && !self.timer.is_set()
            && !self.probe.is_out()
    }

    /// Processes an acknowledgement while nothing is outstanding: it may report a duplicate, and
    /// the window may have opened (RFC 9293 section 3.8.6.1).
    fn on_ack_while_idle(&mut self, content: &mut AckContent, now: Time) {
        if self.losses.has_sack() {
            self.react_to_probe(content, now);
            if content.duplicate {
                self.react(content, now);
            }
        }
        if !self.timer.is_for(Purpose::WindowProbe) {
            return;
        }
        if self.next_piece().is_some() {
            self.timer.stop();
            self.timer.end_window_probes();
        } else {
            self.timer.await_window(self.round_trips.rto(), now);
        }
    }

    /// True while PRR sets the window.
    fn is_reducing(&self) -> bool {
        self.losses.has_sack()
            && matches!(self.phase.state(), CongestionState::Cwr | CongestionState::Recovery)
    }

    fn tell_congestion_control(&mut self, content: &AckContent, may_grow: bool, now: Time) {
        if content.acked + content.sacked == 0 {
            return;
        }
        let is_falling = !may_grow || self.is_reducing();
        // Linux `tcp_may_raise_cwnd`: reordering makes selective acknowledgements count.
        let progress = content.acked > 0 || self.losses.is_reordering_high();
        let facts = Acked {
            now,
            delivered: content.delivered,
            acked: content.acked,
            rtt: content.latest_rtt,
            srtt: self.round_trips.srtt_or_zero(),
            una: self.sequence.una(),
            next: self.sequence.next(),
            // RFC 7323 section 4.1: an acknowledgement of nothing new may echo an old timestamp.
            one_way: content.one_way.filter(|_| content.acked > 0),
            may_grow: !is_falling && progress && self.window.is_limiting(),
            falling: is_falling,
            paced: self.output.has_pacing(),
        };
        self.window.on_ack(&facts);
    }

    fn update_pacing(&mut self) {
        let packets_out = self.losses.board().packets_out();
        let srtt = self.round_trips.srtt_or_zero();
        self.output.pace(self.window.window(), packets_out, self.options.mss, srtt);
    }
}
