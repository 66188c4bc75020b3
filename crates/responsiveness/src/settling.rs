//! Decides whether a figure has settled.
//!
//! Specification: draft-ietf-ippm-responsiveness-09, "Final Algorithm": a figure has settled when
//! the standard deviation of the moving averages of the last MAD intervals is within SDT of the
//! latest of them.

use std::collections::VecDeque;

/// The latest moving averages of one figure.
#[derive(Clone, Debug)]
pub(crate) struct Settling {
    /// The number of moving averages (MAD).
    distance: usize,
    /// The tolerance (SDT).
    tolerance: f64,
    averages: VecDeque<f64>,
}

impl Settling {
    /// The state without any average.
    pub(crate) fn new(distance: usize, tolerance: f64) -> Self {
        Self { distance: distance.max(1), tolerance, averages: VecDeque::new() }
    }

    /// Adds the moving average of another interval. Returns true if the figure has settled.
    pub(crate) fn add(&mut self, average: f64) -> bool {
        self.averages.push_back(average);
        if self.averages.len() > self.distance {
            self.averages.pop_front();
        }
        self.averages.len() == self.distance && self.deviation() < self.tolerance * average
    }

    /// The standard deviation of exactly these averages: the divisor is their number.
    fn deviation(&self) -> f64 {
        let count = self.averages.len() as f64;
        let mean = self.averages.iter().sum::<f64>() / count;
        let squares = self.averages.iter().map(|average| (average - mean) * (average - mean));
        (squares.sum::<f64>() / count).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_that_agree_are_needed() {
        let mut goodput = Settling::new(4, 0.05);
        assert_eq!(
            [10.0, 10.1, 9.9, 10.0].map(|value| goodput.add(value)),
            [false, false, false, true]
        );
    }

    #[test]
    fn growth_is_not_settled() {
        let mut goodput = Settling::new(4, 0.05);
        assert!(![10.0, 12.0, 14.4, 17.3, 20.7].into_iter().any(|value| goodput.add(value)));
    }

    #[test]
    fn nothing_at_all_is_not_settled() {
        let mut goodput = Settling::new(4, 0.05);
        assert!(!(0..10).any(|_| goodput.add(0.0)));
    }
}
