//! The sending half of a TCP connection: what to send, when, and how much at once.
//!
//! It is told what the application writes and what the peer acknowledges, and returns the segments
//! to send and the time of its next timer. Windows are counted in segments, as in Linux; a segment
//! that was sent once is never cut or joined anew. Each part has its file: the scoreboard records
//! every outstanding segment; RACK, RFC 6675 or NewReno find losses; PRR reduces the window; a
//! congestion control sets how far, and grows the window again.
//!
//! Specification: RFC 9293, RFC 5681, RFC 6298, and those that the parts name; where they leave a
//! choice, Linux 6.1's. Deviations: see the parts.

mod ack_processing;
mod classic;
mod offload;
mod output;
mod queries;
mod recovery;
#[cfg(test)]
mod tests;
mod timers;
mod types;
mod undo;

use units::{Bytes, Span, Time};

pub use types::{Acknowledgement, Negotiated, Outgoing, SenderStats, State};

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
use ack_processing::Heard;
use output::Output;
use timers::Timer;
use undo::Undo;

/// The id of the first segment. Ids wrap; this one makes them wrap early, so that errors show.
const FIRST_SEGMENT: u32 = u32::MAX - 1000;
/// The sequence number of the first data: the SYN takes the one before.
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
    /// The first sequence number that the peer does not accept.
    window_end: u64,
    /// The largest window that the peer has announced (RFC 9293 section 3.8.6.2.1: Max(SND.WND)).
    largest_window: u64,
    window: Window,
    congestion: Algorithm,
    state: State,
    /// The present state ends when this sequence number is acknowledged.
    high: u64,
    rtt: RttEstimator,
    min_rtt: MinRtt,
    /// The latest round-trip sample; `None` before any, and after it was taken.
    sample: Option<Span>,
    rack: Rack,
    frontier: Frontier,
    new_reno: NewReno,
    prr: Prr,
    undo: Undo,
    probe: TailLossProbe,
    /// True while a spurious timeout may still be detected (RFC 5682, F-RTO).
    frto: bool,
    usage: Usage,
    pacing: Pacing,
    /// True to send super-packets.
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

    /// The handshake is complete. `handshake_rtt`: its round-trip time; `None` if a SYN was sent
    /// again and its acknowledgement, without timestamps, may be for either (Karn's algorithm).
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

    /// Appends `bytes` bytes to the data to be sent; `u64::MAX` is data without end. Nothing is
    /// appended after the end of the stream.
    pub fn write(&mut self, bytes: u64) {
        self.stream.write(bytes);
    }

    /// Ends the stream with a FIN after the last byte written; a stream without end stops after the
    /// last byte sent.
    pub fn finish(&mut self) {
        self.stream.finish();
    }

    /// Ends the stream with a FIN after the last byte sent; data written but not yet sent is
    /// dropped.
    pub fn abandon(&mut self) {
        self.stream.abandon();
    }

    /// Takes an acknowledgement. One for data that was never sent is ignored
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

    /// The next segment to send now. To be called until it returns `None`, after every other call
    /// that changes the sender.
    pub fn poll(&mut self, now: Time) -> Option<Outgoing> {
        if !self.is_established {
            return None;
        }
        self.next_segment(now)
    }

    /// The time at which [`Sender::on_timer`] is to be called; `None` if no timer is set. Every
    /// other call may change it.
    pub fn next_timer(&self) -> Option<Time> {
        Time::earliest(self.timer.map(|(deadline, _)| deadline), self.paced_until())
    }

    /// Runs the timer if its time has come; an earlier call does nothing.
    pub fn on_timer(&mut self, now: Time) {
        if let Some((deadline, timer)) = self.timer
            && deadline <= now
        {
            self.expire(timer, now);
        }
    }

    /// True if `ack` brings nothing new while nothing is outstanding, as with every segment of a
    /// peer that sends and is sent nothing.
    fn is_known(&self, ack: &Acknowledgement) -> bool {
        ack.ack == self.una
            && ack.ack.saturating_add(ack.window) <= self.window_end
            && ack.sack.is_empty()
            && self.timer.is_none()
            && !self.probe.is_out()
    }

    /// Processes an acknowledgement while nothing is outstanding: it may report a duplicate, and
    /// the window may have opened (RFC 9293 section 3.8.6.1).
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

    /// True while PRR sets the window.
    fn is_reducing(&self) -> bool {
        self.detection != LossDetection::DuplicateAcks
            && matches!(self.state, State::Cwr | State::Recovery)
    }

    /// Sets the window by PRR after `delivered` segments. `safe`: the cumulative acknowledgement
    /// advanced and no new loss was found.
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
            // RFC 7323 section 4.1: an acknowledgement of nothing new may echo an old timestamp.
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
