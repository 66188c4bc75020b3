//! How far two figures may be apart.

use std::fmt;

/// A part of the figure that is held to be true, or so much in its own unit, whichever is more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of the true figure: 0.05 is 5 %.
    pub part: f64,
    /// In its unit; 0 for nothing.
    pub amount: f64,
}

impl Tolerance {
    /// Between lab and simulator: what a flow gets, and what a link carries.
    pub const THROUGHPUT: Self = Self { part: 0.05, amount: 0.0 };
    /// Between lab and simulator: a median in milliseconds.
    pub const WAIT: Self = Self { part: 0.10, amount: 1.0 };
    /// Between lab and simulator: packets that were dropped, marked or sent once more.
    pub const EVENTS: Self = Self { part: 0.15, amount: 5.0 };

    /// Is `found` close enough to `truth`?
    pub fn holds(self, truth: f64, found: f64) -> bool {
        (found - truth).abs() <= (self.part * truth.abs()).max(self.amount)
    }
}

impl fmt::Display for Tolerance {
    /// `5 %`, `10 % or 1`: the unit of the amount is left to whoever knows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} %", 100.0 * self.part)?;
        if self.amount > 0.0 { write!(f, " or {}", self.amount) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_of_the_two_counts() {
        let wait = Tolerance::WAIT;
        assert!(wait.holds(100.0, 110.0) && !wait.holds(100.0, 110.1));
        assert!(wait.holds(2.0, 1.0) && !wait.holds(2.0, 0.9));
        assert!(!Tolerance::THROUGHPUT.holds(0.0, 0.1));
    }

    #[test]
    fn in_words() {
        let words = |tolerance: Tolerance| tolerance.to_string();
        assert_eq!(words(Tolerance::THROUGHPUT), "5 %");
        assert_eq!(words(Tolerance::EVENTS), "15 % or 5");
    }
}
