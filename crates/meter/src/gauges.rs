//! What a flow shows at a glance.

use units::Span;

/// What a series shows of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gauges {
    /// Congestion window in segments.
    pub cwnd: Option<f64>,
    /// The latest round trip, smoothed for TCP.
    pub rtt: Option<Span>,
    /// Application bytes delivered since the beginning.
    pub delivered: u64,
}
