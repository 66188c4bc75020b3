//! Scripted exchanges: at a given time an acknowledgement is received, and exactly these segments
//! go out. Segments are numbered from 0 and hold 1000 bytes; `r3` is segment 3 sent again.

mod classic;
mod ledbat;
mod marks;
mod offload;
mod probe;
mod rack;
mod random;
mod scoreboard;
mod start;
mod steps;
mod timeout;
mod undo;
mod window;

use std::fmt::Write;

use units::{Bytes, Span, Time};

use super::{Acknowledgement, Negotiated, Sender};
use crate::cc::Congestion;
use crate::config::{Config, LossDetection};
use crate::segment::{Flags, SackBlocks};

pub(super) const MSS: u32 = 1000;

/// Reno without super-packets, and a handshake that took 100 ms, so that the retransmission timeout
/// is 300 ms.
pub(super) fn reno() -> Config {
    Config { congestion: Congestion::Reno, offload: false, ..Config::default() }
}

pub(super) fn with(detection: LossDetection) -> Config {
    Config { loss_detection: detection, ..reno() }
}

/// [`reno`] with a slow start threshold of `segments`.
pub(super) fn starting_at(segments: u32) -> Config {
    let threshold = Bytes(u64::from(segments) * u64::from(MSS));
    Config { initial_ssthresh: Some(threshold), ..reno() }
}

pub(super) struct Script {
    pub(super) sender: Sender,
    pub(super) now: Time,
    pub(super) window: u64,
    peer: Negotiated,
}

impl Script {
    /// A sender with endless data and a wide receive window, which has sent its first window.
    pub(super) fn endless(config: &Config) -> Self {
        let mut script = Self::quiet(config);
        script.sender.write(u64::MAX);
        script.output();
        script
    }

    /// A sender with nothing to send.
    pub(super) fn quiet(config: &Config) -> Self {
        Self::offered(config, 1 << 40)
    }

    /// A sender with nothing to send, whose peer offers `window` bytes.
    pub(super) fn offered(config: &Config, window: u64) -> Self {
        let peer = Negotiated {
            mss: MSS,
            sack: config.sack,
            timestamps: config.timestamps,
            ecn: config.ecn,
            window,
        };
        let mut sender = Sender::new(config);
        sender.established(peer, Some(Span::from_millis(100)), Time::ZERO);
        Self { sender, now: Time::ZERO, window, peer }
    }

    /// Lets time pass to `millis`; returns the segments that timers send until then.
    pub(super) fn at(&mut self, millis: u64) -> String {
        let end = Time::from_millis(millis);
        let mut sent = String::new();
        while let Some(deadline) = self.sender.next_timer().filter(|&deadline| deadline <= end) {
            assert!(deadline >= self.now);
            self.now = deadline;
            self.sender.on_timer(deadline);
            let output = self.output();
            if !output.is_empty() {
                let at = deadline.since(Time::ZERO).as_millis_f64();
                let space = if sent.is_empty() { "" } else { " " };
                write!(sent, "{space}{at}:{output}").unwrap();
            }
        }
        self.now = end;
        sent
    }

    /// Acknowledges the segments below `upto`, and selectively those in `blocks`.
    pub(super) fn ack(&mut self, upto: u64, blocks: &[(u64, u64)]) -> String {
        self.ack_with(upto, blocks, |_| {})
    }

    /// Acknowledges with the ECN echo flag.
    pub(super) fn ack_marked(&mut self, upto: u64, blocks: &[(u64, u64)]) -> String {
        self.ack_with(upto, blocks, |ack| ack.ece = true)
    }

    /// Acknowledges with a timestamp echo.
    pub(super) fn ack_echoing(&mut self, upto: u64, blocks: &[(u64, u64)], echo: u32) -> String {
        self.ack_with(upto, blocks, |ack| ack.echo = Some(echo))
    }

    pub(super) fn ack_with(
        &mut self,
        upto: u64,
        blocks: &[(u64, u64)],
        change: impl FnOnce(&mut Acknowledgement),
    ) -> String {
        let number = |segment: u64| 1 + segment * u64::from(MSS);
        let mut sack = SackBlocks::EMPTY;
        if self.peer.sack {
            blocks.iter().for_each(|&(start, end)| sack.push(number(start), number(end)));
        }
        let mut ack = Acknowledgement {
            ack: number(upto),
            window: self.window,
            sack,
            echo: None,
            stamp: None,
            ece: false,
            carries_data: false,
        };
        change(&mut ack);
        self.sender.on_ack(&ack, self.now);
        self.sender.check();
        self.output()
    }

    /// The segments that are sent now.
    pub(super) fn output(&mut self) -> String {
        let mut sent = Vec::new();
        while let Some(segment) = self.sender.poll(self.now) {
            self.sender.check();
            let mss = u64::from(MSS);
            let again = if segment.retransmission { "r" } else { "" };
            let number = (segment.seq - 1) / mss;
            let short = if u64::from(segment.len) < mss { "*" } else { "" };
            let fin = if segment.flags.has(Flags::FIN) { "F" } else { "" };
            let cwr = if segment.flags.has(Flags::CWR) { "C" } else { "" };
            sent.push(format!("{again}{number}{short}{fin}{cwr}"));
            assert!(sent.len() < 100_000);
        }
        sent.join(" ")
    }

    /// The congestion window, its threshold, and segments in flight.
    pub(super) fn windows(&self) -> (u32, u32, u32) {
        (self.sender.cwnd(), self.sender.ssthresh(), self.sender.in_flight())
    }
}

impl Sender {
    /// Checks the invariants.
    pub(super) fn check(&self) {
        self.losses.board().check();
        assert!(self.sequence.una() <= self.sequence.next());
        assert!(self.window.cwnd() >= 1, "{:?}", self.window);
        let idle = self.losses.board().packets_out() == 0;
        assert!(idle || self.timer.is_set(), "outstanding segments without a timer");
    }
}

/// A simulation holds ten thousand senders, and caches do not.
#[test]
fn a_sender_is_small() {
    assert!(size_of::<Sender>() <= 784, "{}", size_of::<Sender>());
}
