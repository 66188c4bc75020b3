//! The sending half of a TCP connection: what to send, when, and how much at once.
//!
//! It is told what the application writes and what the peer acknowledges, says what to put on the
//! wire, and names the time of its next timer. Windows are counted in segments, as Linux does;
//! a segment that was sent once is never cut or joined anew. The parts are each in their file:
//! the scoreboard knows every outstanding segment; RACK, RFC 6675 or NewReno find losses; PRR
//! brings the window down; a congestion control says how far, and grows it again.
//!
//! Specification: RFC 9293, RFC 5681, RFC 6298, and those that the parts name; where they leave a
//! choice, Linux 6.1's. Deviations: see the parts.

mod classic;
mod contract;
mod hearing;
mod offload;
mod output;
mod queries;
mod recovery;
#[cfg(test)]
mod tests;
mod timers;
mod undo;

use units::{Bytes, Span, Time};

pub use contract::{Acknowledgement, Negotiated, Outgoing, SenderStats, State};

use crate::cc::{Acked, Algorithm, CongestionControl, Window};
use crate::config::{Config, LossDetection};
use crate::min_rtt::MinRtt;
use crate::new_reno::NewReno;
use crate::pacing::Pacing;
use crate::prr::Prr;
use crate::rack::Rack;
use crate::rfc6675::Frontier;
use crate::rtt::RttEstimator;
use crate::scoreboard::Scoreboard;
use crate::stream::Stream;
use crate::tail_loss_probe::TailLossProbe;
use crate::usage::Usage;
use hearing::Heard;
use output::Output;
use timers::Timer;
use undo::Undo;

/// Segments are named by numbers that wrap; they start where that shows early.
const FIRST_SEGMENT: u32 = u32::MAX - 1000;
/// The sequence number that data starts at: the SYN takes the one before.
pub(crate) const FIRST_DATA: u64 = 1;

/// The sending half of a TCP connection.
#[derive(Clone, Debug)]
pub struct Sender {
    detection: LossDetection,
    initial_window: u32,
    initial_ssthresh: Option<Bytes>,
    peer: Negotiated,
    is_established: bool,
    stream: Stream,
    board: Scoreboard,
    /// First unacknowledged sequence number.
    una: u64,
    /// The peer takes nothing from this number on.
    window_end: u64,
    /// The largest window that the peer has announced (RFC 9293 section 3.8.6.2.1: Max(SND.WND)).
    largest_window: u64,
    window: Window,
    congestion: Algorithm,
    state: State,
    /// The present state ends when this is acknowledged.
    high: u64,
    rtt: RttEstimator,
    min_rtt: MinRtt,
    /// The latest round-trip sample that nobody has taken.
    sample: Option<Span>,
    rack: Rack,
    frontier: Frontier,
    new_reno: NewReno,
    prr: Prr,
    undo: Undo,
    probe: TailLossProbe,
    /// Looks out for a spurious timeout (RFC 5682).
    frto: bool,
    usage: Usage,
    pacing: Pacing,
    /// Sends super-packets.
    offload: bool,
    timer: Option<(Time, Timer)>,
    /// Timeouts since the cumulative acknowledgement last advanced.
    timeouts: u32,
    /// Probes of a closed window since the last round-trip sample.
    window_probes: u32,
    /// Segments that the peer reported as duplicates.
    duplicates_reported: u64,
    output: Output,
    stats: SenderStats,
}

impl Sender {
    /// A sender that waits for its handshake. Data starts at sequence number 1.
    pub fn new(config: &Config) -> Self {
        Self {
            detection: config.loss_detection,
            initial_window: config.initial_window.max(1),
            initial_ssthresh: config.initial_ssthresh,
            peer: Negotiated::nothing(config.mss.max(1)),
            is_established: false,
            stream: Stream::new(),
            board: Scoreboard::new(FIRST_SEGMENT),
            una: FIRST_DATA,
            window_end: FIRST_DATA,
            largest_window: 0,
            window: Window { cwnd: config.initial_window.max(1), ssthresh: u32::MAX },
            congestion: Algorithm::new(config),
            state: State::Open,
            high: FIRST_DATA,
            rtt: RttEstimator::new(config.rto_floor),
            min_rtt: MinRtt::default(),
            sample: None,
            rack: Rack::new(),
            frontier: Frontier::new(FIRST_SEGMENT),
            new_reno: NewReno::default(),
            prr: Prr::default(),
            undo: Undo::default(),
            probe: TailLossProbe::default(),
            frto: false,
            usage: Usage::default(),
            pacing: Pacing::new(config.pacing),
            offload: config.offload,
            timer: None,
            timeouts: 0,
            window_probes: 0,
            duplicates_reported: 0,
            output: Output::default(),
            stats: SenderStats::default(),
        }
    }

    /// The handshake is done. `handshake_rtt`: what it took, unless a SYN was sent again and its
    /// acknowledgement, without timestamps, may be for either (Karn's algorithm).
    pub fn established(&mut self, peer: Negotiated, handshake_rtt: Option<Span>, now: Time) {
        // RFC 9293 section 3.7.1: the option has 16 bits.
        self.peer = Negotiated { mss: peer.mss.clamp(1, u32::from(u16::MAX)), ..peer };
        if !peer.sack {
            self.detection = LossDetection::DuplicateAcks;
        }
        self.board.set_mss(self.peer.mss);
        self.window_end = self.una.saturating_add(peer.window);
        self.largest_window = peer.window;
        if let Some(threshold) = self.initial_ssthresh {
            // RFC 5681 equation 4 leaves no less than two segments.
            let segments = threshold.0 / u64::from(self.peer.mss);
            self.window.ssthresh = u32::try_from(segments).unwrap_or(u32::MAX).max(2);
        }
        match handshake_rtt {
            Some(rtt) => {
                self.rtt.sample(rtt, self.una, self.stream.next());
                self.min_rtt.sample(rtt, now);
                self.update_pacing();
            }
            // DEVIATES RFC 5681 section 3.1: the window stays as it is after a lost SYN, as in
            // Linux unless several were lost.
            None => self.rtt.on_lost_syn(),
        }
        self.is_established = true;
    }

    /// The application appends `bytes`; `u64::MAX` never ends. Nothing can follow the end.
    pub fn write(&mut self, bytes: u64) {
        self.stream.write(bytes);
    }

    /// A FIN follows the last byte written; a stream without end ends with what was sent.
    pub fn finish(&mut self) {
        self.stream.finish();
    }

    /// What was written and not yet sent is not sent any more; a FIN follows what was.
    pub fn abandon(&mut self) {
        self.stream.abandon();
    }

    /// An acknowledgement arrived. One for what was never sent is ignored
    /// (RFC 9293 section 3.10.7.4).
    pub fn on_ack(&mut self, ack: &Acknowledgement, now: Time) {
        if ack.ack > self.stream.next() || !self.is_established {
            return;
        }
        let was_idle = self.board.packets_out() == 0;
        if was_idle && self.is_known(ack) {
            return;
        }
        let lost_before = self.board.lost_ever();
        let mut heard = Heard::default();
        self.hear(ack, now, &mut heard);
        if was_idle {
            self.hear_while_idle(&mut heard, now);
            return;
        }
        let may_grow = if self.detection == LossDetection::DuplicateAcks {
            self.react_classic(&heard, now)
        } else {
            self.react(&mut heard, now);
            true
        };
        if heard.restarts_timer {
            self.restart_timer_on_ack(now);
        }
        let newly_lost = self.board.lost_ever() - lost_before;
        self.stats.lost = self.board.lost_ever();
        if self.is_reducing() {
            self.fall(heard.delivered, heard.advanced && newly_lost == 0);
        }
        self.tell_congestion_control(&heard, may_grow, now);
        self.update_pacing();
    }

    /// The next segment to be sent now; to be asked until there is none, after every other call
    /// but those that only look.
    pub fn poll(&mut self, now: Time) -> Option<Outgoing> {
        if !self.is_established {
            return None;
        }
        self.next_segment(now)
    }

    /// When [`Sender::on_timer`] wants to be called; it may change with every other call.
    pub fn next_timer(&self) -> Option<Time> {
        Time::earliest(self.timer.map(|(deadline, _)| deadline), self.paced_until())
    }

    /// The time of a timer has come. Too early, it does nothing.
    pub fn on_timer(&mut self, now: Time) {
        if let Some((deadline, timer)) = self.timer
            && deadline <= now
        {
            self.expire(timer, now);
        }
    }

    /// Nothing is outstanding. Does `ack` say nothing new? So it is with every segment of a peer
    /// that sends and is sent nothing.
    fn is_known(&self, ack: &Acknowledgement) -> bool {
        ack.ack == self.una
            && ack.ack.saturating_add(ack.window) <= self.window_end
            && ack.sack.is_empty()
            && self.timer.is_none()
            && !self.probe.is_out()
    }

    /// Nothing is outstanding. A duplicate may still be reported, and RFC 9293 section 3.8.6.1:
    /// the window may have opened.
    fn hear_while_idle(&mut self, heard: &mut Heard, now: Time) {
        if self.detection != LossDetection::DuplicateAcks {
            self.react_to_probe(heard, now);
            if heard.duplicate {
                self.react(heard, now);
            }
        }
        if !matches!(self.timer, Some((_, Timer::WindowProbe))) {
            return;
        }
        if self.next_piece().is_some() {
            self.timer = None;
            self.window_probes = 0;
        } else {
            self.schedule_window_probe(now);
        }
    }

    /// Does PRR rule the window?
    fn is_reducing(&self) -> bool {
        self.detection != LossDetection::DuplicateAcks
            && matches!(self.state, State::Cwr | State::Recovery)
    }

    /// `delivered` segments let the window fall. `safe`: without a new loss.
    fn fall(&mut self, delivered: u32, safe: bool) {
        if delivered > 0 {
            let pipe = self.board.pipe();
            self.window.cwnd = self.prr.on_ack(self.window.ssthresh, pipe, delivered, safe);
        }
    }

    fn tell_congestion_control(&mut self, heard: &Heard, may_grow: bool, now: Time) {
        if heard.acked + heard.sacked == 0 {
            return;
        }
        // Linux `tcp_may_raise_cwnd`: reordering makes selective acknowledgements count.
        let progress = heard.acked > 0 || self.rack.is_degree_high();
        let facts = Acked {
            now,
            delivered: heard.delivered,
            acked: heard.acked,
            rtt: heard.latest_rtt,
            srtt: self.rtt.srtt().unwrap_or_default(),
            una: self.una,
            next: self.stream.next(),
            // RFC 7323 section 4.1: what acknowledges nothing new may echo an old timestamp.
            one_way: heard.one_way.filter(|_| heard.acked > 0),
            may_grow: may_grow
                && progress
                && !self.is_reducing()
                && self.usage.is_limited(&self.window),
            falling: !may_grow || self.is_reducing(),
            paced: self.pacing.is_enabled(),
        };
        self.congestion.on_ack(&mut self.window, &facts);
    }

    fn update_pacing(&mut self) {
        let srtt = self.rtt.srtt().unwrap_or_default();
        self.pacing.update(&self.window, self.board.packets_out(), self.peer.mss, srtt);
    }
}
