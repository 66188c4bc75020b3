//! The interface between a sender and its congestion control.

use units::{Span, Time};

/// The congestion window and its threshold, in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The congestion window in segments.
    pub cwnd: u32,
    /// The slow start threshold in segments; `u32::MAX` before the first congestion event.
    pub ssthresh: u32,
}

impl Window {
    /// True if the window is below its threshold (RFC 5681 section 3.1).
    pub const fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }
}

/// The facts that one acknowledgement gave the sender.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// The present time.
    pub now: Time,
    /// The number of segments newly delivered, cumulatively or selectively.
    pub delivered: u32,
    /// The number of segments newly acknowledged cumulatively.
    pub acked: u32,
    /// The round-trip sample of this acknowledgement; `None` if it gives none.
    pub rtt: Option<Span>,
    /// The smoothed round-trip time.
    pub srtt: Span,
    /// The first unacknowledged sequence number after this acknowledgement.
    pub una: u64,
    /// The next new sequence number to be sent.
    pub next: u64,
    /// The delay of a segment to the peer, by the timestamps of both ends: in milliseconds that
    /// wrap, with an unknown constant offset; `None` if the acknowledgement gives none.
    pub one_way: Option<u32>,
    /// True if the window may grow: the sender is not in recovery, and the window limited it.
    pub may_grow: bool,
    /// True while the window falls to its threshold, and must not be changed.
    pub falling: bool,
    /// True if the sender paces.
    pub paced: bool,
}

/// The reason why the window must fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Segments were lost.
    Loss,
    /// The receiver echoed a congestion mark.
    Ecn,
    /// The retransmission timer ran out.
    Timeout,
}

/// A congestion control algorithm.
pub trait CongestionControl {
    /// Takes an acknowledgement, and grows `window` if [`Acked::may_grow`].
    fn on_ack(&mut self, window: &mut Window, ack: &Acked);

    /// The new slow start threshold in segments, after a congestion event at the present `window`.
    /// The caller reduces the window to it.
    fn reduce(&mut self, window: &Window, cause: Reduction, now: Time) -> u32;

    /// Takes notice that data is sent again after nothing was in flight; `idle` is the time since
    /// the last segment was sent. Called before that segment is counted as in flight.
    fn on_restart(&mut self, idle: Span, now: Time) {
        let _ = (idle, now);
    }
}
