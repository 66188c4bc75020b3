//! The parameters of PIE.

use units::{Bytes, Prob, Span};

/// The variants of PIE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PieVariant {
    /// PIE of RFC 8033.
    #[default]
    Rfc8033,
    /// PIE of Linux: the burst allowance burns only while packets leave, the safeguard looks at the
    /// newest delay, above 250 ms the probability rises by 2 % more, and when the delay is zero it
    /// decays by 1/64.
    Linux,
}

/// The source of the queue's delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PieDelay {
    /// The wait of the packets that leave (RFC 8033 section 4.3; Linux's default).
    #[default]
    Timestamps,
    /// The backlog divided by a measured dequeue rate (RFC 8033 section 5.2; `dq_rate_estimator`).
    DequeueRate,
}

/// The parameters that all queues of one PIE share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PieParameters {
    /// QDELAY_REF, the target delay; 15 ms (RFC 8033 section 4.2).
    pub target: Span,
    /// T_UPDATE, the time between two updates; 15 ms (RFC 8033 section 4.2).
    pub update_interval: Span,
    /// Weight of the distance from `target`, per second; 1/8 (RFC 8033 section 4.2).
    pub alpha: f64,
    /// Weight of the change since the last update, per second; 1 + 1/4 (RFC 8033 section 4.2).
    pub beta: f64,
    /// MAX_BURST, a burst that is let through; 150 ms (RFC 8033 section 4.4).
    pub max_burst: Span,
    /// mark_ecnth, the probability from which ECN-capable packets are dropped; 0.1 (RFC 8033
    /// section 5.1).
    pub mark_threshold: Prob,
    /// MEAN_PKTSIZE: a queue of two packets of this size drops nothing; 1514 bytes (RFC 8033
    /// section 4.1 leaves it open; Linux: the MTU).
    pub mean_packet: Bytes,
    /// True to drop short packets less often; off (Linux `bytemode`; RFC 8033 section 4.1 allows
    /// it).
    pub byte_mode: bool,
    /// The source of the delay; timestamps.
    pub delay: PieDelay,
    /// The backlog that switches the controller on, which switches itself off when idle: a third of
    /// the buffer (RFC 8033 section 5.3, optional). `None`, the default: always on.
    pub activation: Option<Bytes>,
    /// True to mark ECN-capable packets in place of dropping them; off.
    pub ecn: bool,
    /// The variant of PIE; that of RFC 8033.
    pub variant: PieVariant,
}

impl Default for PieParameters {
    fn default() -> Self {
        Self {
            target: Span::from_millis(15),
            update_interval: Span::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            max_burst: Span::from_millis(150),
            mark_threshold: Prob::clamped(0.1),
            mean_packet: Bytes(1514),
            byte_mode: false,
            delay: PieDelay::Timestamps,
            activation: None,
            ecn: false,
            variant: PieVariant::Rfc8033,
        }
    }
}
