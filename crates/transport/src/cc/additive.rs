//! The two ways in which a window grows, shared by the algorithms.
//!
//! Slow start adds a segment for each delivered segment up to the threshold. Additive increase
//! adds one for every `per` delivered segments, and remembers the remainder.
//!
//! Specification: RFC 5681 section 3.1 (slow start and congestion avoidance), RFC 3465 (counting
//! acknowledged data rather than acknowledgements).
//!
//! Deviations: none. Like Linux, it counts segments, not bytes, and sets no limit L on how much
//! one acknowledgement may add.

use super::Window;

/// Grows `window` in slow start; returns the part of `delivered` that is left at the threshold.
pub(super) fn slow_start(window: &mut Window, delivered: u32) -> u32 {
    let grown = window.cwnd.saturating_add(delivered).min(window.ssthresh);
    let left = delivered - (grown - window.cwnd);
    window.cwnd = grown;
    left
}

/// The count of delivered segments towards the next increment of the window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Additive {
    credit: u32,
}

impl Additive {
    /// Adds one segment to `window` for every `per` of `delivered`.
    pub(super) fn grow(&mut self, window: &mut Window, per: u32, delivered: u32) {
        let per = per.max(1);
        // Credit from a time when `per` was larger adds one segment, not several.
        if self.credit >= per {
            self.credit = 0;
            window.cwnd = window.cwnd.saturating_add(1);
        }
        self.credit = self.credit.saturating_add(delivered);
        window.cwnd = window.cwnd.saturating_add(self.credit / per);
        self.credit %= per;
    }

    /// Resets the count, because the window was reduced.
    pub(super) fn reset(&mut self) {
        self.credit = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_stops_at_the_threshold() {
        let mut window = Window { cwnd: 10, ssthresh: 15 };
        assert_eq!(slow_start(&mut window, 3), 0);
        assert_eq!(slow_start(&mut window, 7), 5);
        assert_eq!(window.cwnd, 15);
    }

    #[test]
    fn one_segment_for_every_window() {
        let (mut window, mut additive) = (Window { cwnd: 10, ssthresh: 10 }, Additive::default());
        for _ in 0..3 {
            additive.grow(&mut window, 10, 3);
        }
        assert_eq!(window.cwnd, 10);
        additive.grow(&mut window, 10, 3);
        assert_eq!((window.cwnd, additive.credit), (11, 2));
    }

    #[test]
    fn old_credit_buys_one_segment_only() {
        let (mut window, mut additive) = (Window { cwnd: 100, ssthresh: 10 }, Additive::default());
        additive.grow(&mut window, 100, 90);
        additive.grow(&mut window, 2, 1);
        assert_eq!((window.cwnd, additive.credit), (101, 1));
    }
}
