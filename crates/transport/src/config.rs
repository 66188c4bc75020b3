//! The options of each end of a connection. The default is Linux's.

use units::{Bytes, Span};

use crate::cc::Congestion;

/// The number of bytes that the receiver lets the sender have in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveWindow {
    /// A constant number; at most 65535 bytes without window scaling, and 1 GiB with.
    Fixed(Bytes),
    /// A number that is small at first and grows with what the application reads in a round trip,
    /// up to `max`.
    Auto {
        /// The largest number: half of Linux's `tcp_rmem[2]`, whose other half is for overhead.
        max: Bytes,
    },
}

/// The times at which the receiver acknowledges data that is received in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckPolicy {
    /// Each segment is acknowledged at once.
    EverySegment,
    /// Every second full segment is acknowledged, or a segment after a delay of at least 40 ms,
    /// which adapts as in Linux.
    Delayed {
        /// True to acknowledge the first segments of a connection at once, as Linux does.
        quick_start: bool,
    },
    /// Segments are acknowledged when a full receive window (which must be fixed) has been
    /// received, or after 200 ms: the receiver of figure 4 in "Controlling Queue Delay" (Nichols
    /// and Jacobson, 2012).
    OncePerWindow,
}

/// The method by which losses are found and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossDetection {
    /// Three duplicate acknowledgements (RFC 5681, RFC 6582); the only method without SACK.
    DuplicateAcks,
    /// Three runs of segments, or more bytes than in two segments, selectively acknowledged above
    /// (RFC 6675).
    Scoreboard,
    /// The time since a segment was sent (RFC 8985), with tail loss probes.
    RackTlp,
}

/// The lower bound of the retransmission timeout, or of a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoFloor {
    /// The least timeout (RFC 6298 section 2.4).
    Timeout(Span),
    /// The least variance term, as in Linux: RTO = SRTT + max(floor, 4 RTTVAR).
    Variance(Span),
}

impl RtoFloor {
    /// The value of the bound.
    pub const fn span(self) -> Span {
        match self {
            Self::Timeout(floor) | Self::Variance(floor) => floor,
        }
    }
}

/// The configuration of one end of a connection. `C` is the choice of the congestion control. A
/// caller may have a type of its own for it, and replace it by one of this crate's with
/// [`with_congestion`](Self::with_congestion).
#[derive(Clone, Debug, PartialEq)]
pub struct Config<C = Congestion> {
    /// The payload in bytes of a full segment that carries no other options than timestamps.
    pub mss: u32,
    /// Initial window in segments (RFC 6928: 10).
    pub initial_window: u32,
    /// Initial slow start threshold (RFC 2001 section 1: 65535 bytes); `None` for the largest
    /// possible value, as RFC 5681 section 3.1 recommends.
    pub initial_ssthresh: Option<Bytes>,
    /// Congestion control.
    pub congestion: C,
    /// True to offer selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// True to offer timestamps (RFC 7323).
    pub timestamps: bool,
    /// True to offer window scaling (RFC 7323).
    pub window_scaling: bool,
    /// Receive window.
    pub receive_window: ReceiveWindow,
    /// Acknowledgement policy of this end's receiver.
    pub acks: AckPolicy,
    /// Loss detection; without SACK negotiated it is [`LossDetection::DuplicateAcks`].
    pub loss_detection: LossDetection,
    /// True to spread segments over the round trip (off in Linux unless the fq queue is used).
    pub pacing: bool,
    /// True to send several segments as one super-packet (TSO, GSO; always on in Linux).
    pub offload: bool,
    /// True to negotiate ECN (RFC 3168).
    pub ecn: bool,
    /// True to reduce the window less on a mark than on a loss (RFC 8511).
    pub abe: bool,
    /// The lower bound of the retransmission timeout.
    pub rto_floor: RtoFloor,
    /// The resolution of CUBIC's clock (Linux: the kernel's tick, 4 ms at 250 Hz); `None` for an
    /// exact one.
    pub tick: Option<Span>,
}

impl<C> Config<C> {
    /// This configuration with another congestion control.
    pub fn with_congestion<D>(self, congestion: D) -> Config<D> {
        Config {
            mss: self.mss,
            initial_window: self.initial_window,
            initial_ssthresh: self.initial_ssthresh,
            congestion,
            sack: self.sack,
            timestamps: self.timestamps,
            window_scaling: self.window_scaling,
            receive_window: self.receive_window,
            acks: self.acks,
            loss_detection: self.loss_detection,
            pacing: self.pacing,
            offload: self.offload,
            ecn: self.ecn,
            abe: self.abe,
            rto_floor: self.rto_floor,
            tick: self.tick,
        }
    }
}

impl Default for Config {
    /// The configuration of Linux over an MTU of 1500.
    fn default() -> Self {
        Self {
            mss: 1448,
            initial_window: 10,
            initial_ssthresh: None,
            congestion: Congestion::CUBIC,
            sack: true,
            timestamps: true,
            window_scaling: true,
            receive_window: ReceiveWindow::Auto { max: Bytes(3 << 20) },
            acks: AckPolicy::Delayed { quick_start: true },
            loss_detection: LossDetection::RackTlp,
            pacing: false,
            offload: true,
            ecn: false,
            abe: false,
            rto_floor: RtoFloor::Variance(Span::from_millis(200)),
            tick: None,
        }
    }
}
