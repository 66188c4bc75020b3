//! A named rate that a test contradicts.

use results::LoadedDirection;
use units::Rate;

use crate::need::line_rate;

/// The ratio of two rates of a line from which its tests do not differ so much.
const FAR: f64 = 1.25;

/// A rate that somebody named, and a test of the direction that tells another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// The rate at which the load filled the line, far below the named one.
    Above(Rate),
    /// The rate that passed, far above the named one.
    Below(Rate),
}

impl Contradiction {
    /// The contradiction of a named rate by a test; `None` if both may be right.
    pub fn of(named: Rate, direction: &LoadedDirection) -> Option<Self> {
        let measured = line_rate(direction)?;
        let ratio = named.as_mbit_f64() / measured.as_mbit_f64();
        // What did not fill the line tells only that it carries so much.
        let is_below = ratio <= 1.0 / FAR;
        let is_above = ratio >= FAR && direction.saturated;
        is_above.then_some(Self::Above(measured)).or(is_below.then_some(Self::Below(measured)))
    }

    /// The rate that was measured.
    pub const fn measured(self) -> Rate {
        match self {
            Self::Above(measured) | Self::Below(measured) => measured,
        }
    }
}
