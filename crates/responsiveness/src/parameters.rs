//! What the test can be told, with the draft's defaults.

use units::Span;

/// The parameters of a test.
///
/// Specification: draft-ietf-ippm-responsiveness-09, "Test Parameters": the names in brackets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Intervals that a moving average is taken over, and moving averages that must agree (MAD): 4.
    pub distance: usize,
    /// How often it is asked whether things have settled (ID): 5 s.
    pub interval: Span,
    /// The part of the probes that counts, the fastest first, in percent (TMP): 95.
    pub kept_percent: usize,
    /// How far moving averages may differ: standard deviation in parts of the last one (SDT): 0.05.
    pub tolerance: f64,
    /// Load-generating connections at the beginning (INP): 1.
    pub initial_connections: usize,
    /// Load-generating connections that come with each interval (INC): 1.
    pub added_connections: usize,
    /// Load-generating connections at most (MNP): 16.
    pub most_connections: usize,
    /// Probes a second at most, of both kinds together (MPS): 100.
    pub most_probes: u32,
    /// The part of the capacity that probes may take (PTC): 0.05.
    pub probe_share: f64,
    /// Intervals after which a direction ends, settled or not: 16. The draft leaves it to us; those
    /// that settle at once need 11.
    pub most_intervals: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            distance: 4,
            interval: Span::from_secs(5),
            kept_percent: 95,
            tolerance: 0.05,
            initial_connections: 1,
            added_connections: 1,
            most_connections: 16,
            most_probes: 100,
            probe_share: 0.05,
            most_intervals: 16,
        }
    }
}
