//! The choice of a congestion control.

use units::Span;

use super::Factory;

/// The congestion control of the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Congestion {
    /// NewReno (RFC 5681, RFC 6582).
    Reno,
    /// CUBIC (RFC 9438).
    Cubic {
        /// True to leave slow start early when delay grows (Linux's HyStart).
        hystart: bool,
        /// The part of the window that remains after a loss, below 1; rounded to 1024ths as in
        /// Linux's module (RFC 9438 section 4.6: 0.7; Linux 2.6.22 has 0.8).
        beta: f64,
    },
    /// LEDBAT (RFC 6817), which needs timestamps; without them its window does not change.
    Ledbat {
        /// The queueing delay that the sender aims to add to the path.
        target: Span,
        /// The number of segments by which the window grows each round trip while there is no
        /// queue.
        gain: f64,
    },
    /// A congestion control from outside of this crate.
    Foreign(Factory),
}

impl Congestion {
    /// CUBIC of Linux (RFC 9438 section 4.6: beta is 0.7).
    pub const CUBIC: Self = Self::Cubic { hystart: true, beta: 0.7 };
}
