//! The current state of a flow.

use units::Span;

/// The values of a flow in a series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gauges {
    /// The congestion window in segments; `None` if there is none.
    pub cwnd: Option<f64>,
    /// The latest round trip, smoothed for TCP; `None` before the first.
    pub rtt: Option<Span>,
    /// Application bytes delivered since the beginning.
    pub delivered: u64,
}
