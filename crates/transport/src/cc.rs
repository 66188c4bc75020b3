//! Congestion control: how the window grows, and how far it falls.
//!
//! The sender decides *when* the window falls (loss detection, ECN, timeouts) and spreads the fall
//! over time (PRR); a congestion control decides *how far*. Windows are counted in segments, as in
//! Linux.

mod additive;
mod cubic;
mod foreign;
mod hystart;
mod ledbat;
mod reno;

pub use cubic::Cubic;
pub use foreign::{Factory, Foreign};
pub use hystart::HyStart;
pub use ledbat::Ledbat;
pub use reno::Reno;

use units::{Span, Time};

use crate::config::{Config, Congestion};

/// The congestion window and its threshold, in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: u32,
    /// Slow start threshold; `u32::MAX` before the first congestion event.
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
    /// Segments newly delivered, cumulatively or selectively.
    pub delivered: u32,
    /// Segments newly acknowledged cumulatively.
    pub acked: u32,
    /// The round-trip sample that this acknowledgement gave, if any.
    pub rtt: Option<Span>,
    /// Smoothed round-trip time.
    pub srtt: Span,
    /// First unacknowledged sequence number after this acknowledgement.
    pub una: u64,
    /// Next new sequence number to be sent.
    pub next: u64,
    /// The delay of a segment to the peer, by the timestamps of both ends: in milliseconds that
    /// wrap, with an unknown constant offset; `None` if the acknowledgement gives none.
    pub one_way: Option<u32>,
    /// True if the window may grow: not in recovery, and the window limited the sender.
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

    /// Data is sent again after nothing was in flight; `idle` is the time since the last segment
    /// was sent. Called before that segment is counted as in flight.
    fn on_restart(&mut self, idle: Span, now: Time) {
        let _ = (idle, now);
    }
}

/// The algorithms that can be chosen. Those of this crate are dispatched statically.
#[derive(Clone, Debug)]
pub enum Algorithm {
    /// [`Congestion::Reno`].
    Reno(Reno),
    /// [`Congestion::Cubic`].
    Cubic(Cubic),
    /// [`Congestion::Ledbat`].
    Ledbat(Ledbat),
    /// [`Congestion::Foreign`].
    Foreign(Foreign),
}

impl Algorithm {
    /// The algorithm that `config` names, before its first segment.
    pub fn new(config: &Config) -> Self {
        match &config.congestion {
            Congestion::Reno => Self::Reno(Reno::new(config.abe)),
            Congestion::Cubic { hystart, beta } => {
                let beta = libm::round(beta * 1024.0) as u16;
                Self::Cubic(Cubic::new(*hystart, config.abe).with_beta(beta))
            }
            Congestion::Ledbat { target, gain } => Self::Ledbat(Ledbat::new(*target, *gain)),
            Congestion::Foreign(factory) => Self::Foreign(factory.make()),
        }
    }
}

impl CongestionControl for Algorithm {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Acked) {
        match self {
            Self::Reno(reno) => reno.on_ack(window, ack),
            Self::Cubic(cubic) => cubic.on_ack(window, ack),
            Self::Ledbat(ledbat) => ledbat.on_ack(window, ack),
            Self::Foreign(foreign) => foreign.on_ack(window, ack),
        }
    }

    fn reduce(&mut self, window: &Window, cause: Reduction, now: Time) -> u32 {
        match self {
            Self::Reno(reno) => reno.reduce(window, cause, now),
            Self::Cubic(cubic) => cubic.reduce(window, cause, now),
            Self::Ledbat(ledbat) => ledbat.reduce(window, cause, now),
            Self::Foreign(foreign) => foreign.reduce(window, cause, now),
        }
    }

    fn on_restart(&mut self, idle: Span, now: Time) {
        match self {
            Self::Reno(reno) => reno.on_restart(idle, now),
            Self::Cubic(cubic) => cubic.on_restart(idle, now),
            Self::Ledbat(ledbat) => ledbat.on_restart(idle, now),
            Self::Foreign(foreign) => foreign.on_restart(idle, now),
        }
    }
}

#[cfg(test)]
mod tests;
