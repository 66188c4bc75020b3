//! What is usual for a target: the median of its recent quiet round trips, and how far they spread.

use std::collections::VecDeque;

use stats::{ascending, median, quantile};
use units::Span;

/// The quiet round trips that are remembered: five minutes at one a second.
const MOST: usize = 300;
/// The quiet probes of a target after which its usual delay is known.
pub const USUAL_PROBES: usize = 10;
/// The number of new round trips after which the figures are made again.
const FRESH: usize = 10;
/// The least addition that strikes, in milliseconds: a third of what keeps the grade A.
const LEAST_ADDED_MS: f64 = 10.0;

/// The quiet round trips of a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usual {
    quiet_ms: VecDeque<f64>,
    fresh: usize,
    figures: Option<Figures>,
}

#[derive(Clone, Copy, Debug)]
struct Figures {
    median_ms: f64,
    threshold_ms: f64,
}

impl Usual {
    /// Takes a quiet round trip.
    pub(crate) fn note(&mut self, round_trip: Span) {
        self.quiet_ms.push_back(round_trip.as_millis_f64());
        if self.quiet_ms.len() > MOST {
            self.quiet_ms.pop_front();
        }
        self.fresh += 1;
        if self.quiet_ms.len() >= USUAL_PROBES && (self.figures.is_none() || self.fresh >= FRESH) {
            self.refresh();
        }
    }

    /// The median in milliseconds; `None` until enough is known.
    pub(crate) fn median_ms(&self) -> Option<f64> {
        self.figures.map(|it| it.median_ms)
    }

    /// The round trip beyond the usual one in milliseconds, and whether it is far beyond; `None` until
    /// enough is known.
    pub(crate) fn added(&self, round_trip: Span) -> Option<(f64, bool)> {
        let Figures { median_ms, threshold_ms } = self.figures?;
        let added = round_trip.as_millis_f64() - median_ms;
        Some((added, added > threshold_ms))
    }

    fn refresh(&mut self) {
        self.forget_unquiet();
        let figures = Figures::of(self.quiet_ms.iter().copied());
        (self.figures, self.fresh) = (figures.or(self.figures), 0);
    }

    /// Forgets the oldest round trips if they are far beyond the latest half: the watch has begun while the line was
    /// loaded, or the path has become shorter.
    fn forget_unquiet(&mut self) {
        let half = self.quiet_ms.len() / 2;
        let latest = self.quiet_ms.iter().rev().take(half).copied();
        let Some(latest) = Figures::of(latest).filter(|_| half >= 2 * USUAL_PROBES) else { return };
        let most_ms = latest.median_ms + latest.threshold_ms;
        while self.quiet_ms.front().is_some_and(|oldest| *oldest > most_ms) {
            self.quiet_ms.pop_front();
        }
    }
}

impl Figures {
    /// The figures of these round trips in milliseconds; `None` if there are none.
    fn of(all_ms: impl Iterator<Item = f64>) -> Option<Self> {
        let sorted = ascending(all_ms);
        let median_ms = median(&sorted)?;
        let beyond = |part| Some(quantile(&sorted, part)? - median_ms);
        let (wide, widest) = (beyond(0.95)?, beyond(0.99)?);
        // A wireless path spreads by itself, at times far, and a long one has longer queues.
        let threshold_ms = LEAST_ADDED_MS.max(3.0 * wide).max(1.5 * widest).max(median_ms / 4.0);
        Some(Self { median_ms, threshold_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_usual_until_ten_answers_have_come() {
        let mut usual = Usual::default();
        for _ in 0..USUAL_PROBES - 1 {
            usual.note(Span::from_millis(20));
            assert_eq!(usual.median_ms(), None);
        }
        usual.note(Span::from_millis(20));
        assert_eq!(usual.median_ms(), Some(20.0));
        assert_eq!(usual.added(Span::from_millis(30)), Some((10.0, false)));
        assert_eq!(usual.added(Span::from_millis(31)), Some((11.0, true)));
    }

    #[test]
    fn a_load_at_the_beginning_is_not_usual_for_long() {
        let mut usual = Usual::default();
        (0..30).for_each(|_| usual.note(Span::from_millis(250)));
        let is_struck = |usual: &Usual| usual.added(Span::from_millis(200)).map(|it| it.1);
        assert_eq!((usual.median_ms(), is_struck(&usual)), (Some(250.0), Some(false)));
        (0..40).for_each(|_| usual.note(Span::from_millis(20)));
        assert_eq!((usual.median_ms(), is_struck(&usual)), (Some(20.0), Some(true)));
    }

    #[test]
    fn what_spreads_widely_strikes_later() {
        let mut usual = Usual::default();
        for n in 0..100 {
            usual.note(Span::from_millis(20 + n % 10));
        }
        // Median 24.5 ms and 95th percentile 29 ms: 13.5 ms.
        assert_eq!(usual.added(Span::from_micros(37_900)), Some((37.9 - 24.5, false)));
        assert_eq!(usual.added(Span::from_micros(38_100)).map(|it| it.1), Some(true));
    }
}
