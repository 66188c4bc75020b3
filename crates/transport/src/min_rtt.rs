//! The smallest round-trip time of the last five minutes.
//!
//! Three samples are kept and no history: the best, the best of those after it, and the best of
//! those after that one. So a successor is known when the best grows too old.
//!
//! Specification: RFC 8985 section 6.2 step 1 (a windowed minimum); the filter is that of Linux's
//! `lib/win_minmax.c` after Kathleen Nichols. Deviations: none.

use units::{Span, Time};

/// The time for which a sample counts (Linux `tcp_min_rtt_wlen`).
const WINDOW: Span = Span::from_secs(300);

#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Time,
    rtt: Span,
}

/// The minimum of the samples in a window of time.
#[derive(Clone, Debug)]
pub(crate) struct MinRtt {
    /// Best, second and third best, none earlier than the one before.
    best: [Sample; 3],
}

impl Default for MinRtt {
    /// The minimum before any sample: the longest time, which every sample replaces.
    fn default() -> Self {
        Self { best: [Sample { at: Time::ZERO, rtt: Span::MAX }; 3] }
    }
}

impl MinRtt {
    /// The minimum; `None` before any sample.
    pub(crate) fn get(&self) -> Option<Span> {
        (self.best[0].rtt < Span::MAX).then_some(self.best[0].rtt)
    }

    /// Takes a sample.
    #[inline]
    pub(crate) fn sample(&mut self, rtt: Span, now: Time) {
        let [first, _, third] = &self.best;
        if rtt <= third.rtt || now.since(first.at) > WINDOW / 4 {
            self.take(rtt, now);
        }
    }

    /// Takes a sample that may change the three.
    fn take(&mut self, rtt: Span, now: Time) {
        let new = Sample { at: now, rtt };
        if rtt > self.best[0].rtt && now.since(self.best[2].at) <= WINDOW {
            self.insert(new);
            self.age(new);
        } else {
            self.best = [new; 3];
        }
    }

    fn insert(&mut self, new: Sample) {
        let [_, second, third] = &mut self.best;
        if new.rtt <= second.rtt {
            (*second, *third) = (new, new);
        } else if new.rtt <= third.rtt {
            *third = new;
        }
    }

    /// Drops samples older than the window. A quarter of the window after the best sample there is
    /// a second one, and after half a window a third one.
    fn age(&mut self, new: Sample) {
        let [first, second, third] = &mut self.best;
        let age = new.at.since(first.at);
        if new.at.since(second.at) > WINDOW {
            self.best = [*third, new, new];
        } else if age > WINDOW {
            self.best = [*second, *third, new];
        } else if second.at == first.at && age > WINDOW / 4 {
            (*second, *third) = (new, new);
        } else if third.at == second.at && age > WINDOW / 2 {
            *third = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_best_after_five_minutes() {
        let mut min = MinRtt::default();
        assert_eq!(min.get(), None);
        min.sample(Span::from_millis(10), Time::ZERO);
        for second in 1..=300 {
            min.sample(Span::from_millis(20 + second % 7), Time::from_secs(second));
            assert_eq!(min.get(), Some(Span::from_millis(10)));
        }
        min.sample(Span::from_millis(25), Time::from_secs(301));
        let heir = min.get().unwrap();
        assert!(heir >= Span::from_millis(20) && heir <= Span::from_millis(22), "{heir}");
    }

    #[test]
    fn a_smaller_sample_counts_at_once() {
        let mut min = MinRtt::default();
        min.sample(Span::from_millis(30), Time::ZERO);
        min.sample(Span::from_millis(40), Time::from_secs(1));
        min.sample(Span::from_millis(29), Time::from_secs(2));
        assert_eq!(min.get(), Some(Span::from_millis(29)));
    }

    /// Linux `minmax_subwin_update`: no better sample came for a quarter of the window, so the
    /// second best is one of those that come then.
    #[test]
    fn a_successor_is_found_after_a_quarter_of_the_window() {
        let mut min = MinRtt::default();
        for (second, millis) in [(0, 10), (76, 20), (80, 30), (301, 40)] {
            min.sample(Span::from_millis(millis), Time::from_secs(second));
        }
        assert_eq!(min.get(), Some(Span::from_millis(20)));
    }
}
