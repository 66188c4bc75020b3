//! The tolerance between two figures.

use std::fmt;

/// The greater of a part of the true figure and an amount in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Part of the true figure, 0 to 1: 0.05 is 5 %.
    pub part: f64,
    /// Amount in the unit of the figure; 0 for none.
    pub amount: f64,
}

impl Tolerance {
    /// Between lab and simulator: the goodput of a flow, and the rate of a link.
    pub const THROUGHPUT: Self = Self { part: 0.05, amount: 0.0 };
    /// Between lab and simulator: a median in milliseconds.
    pub const WAIT: Self = Self { part: 0.10, amount: 1.0 };
    /// Between lab and simulator: packets that were dropped, marked or retransmitted.
    pub const EVENTS: Self = Self { part: 0.15, amount: 5.0 };

    /// True if `found` is close enough to `truth`.
    pub fn holds(self, truth: f64, found: f64) -> bool {
        (found - truth).abs() <= (self.part * truth.abs()).max(self.amount)
    }
}

impl fmt::Display for Tolerance {
    /// Writes `5 %`, `10 % or 1`; the caller adds the unit of the amount.
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
