//! Spans over time.

use stats::Histogram;
use units::{Span, Time};

/// The longest time that a span stands for, or twice itself: nothing is known of the path while no data is acknowledged.
pub(crate) const LONGEST: Span = Span::from_millis(200);

/// The unit of weights.
const WEIGHT: Span = Span::from_micros(100);

/// Spans over time, each as long as it was the latest one.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverTime {
    all: Histogram,
    latest: Option<(Time, Span)>,
}

impl OverTime {
    /// Takes the span of this time. Returns the time since the one before; `None` if it is the first.
    pub(crate) fn record(&mut self, at: Time, span: Span) -> Option<Span> {
        let Some((since, before)) = self.latest.replace((at, span)) else {
            self.all.record(span.as_nanos());
            return None;
        };
        let pause = at.since(since);
        let weight = pause.min(LONGEST).as_nanos() / WEIGHT.as_nanos();
        self.all.record_many(before.as_nanos(), weight.max(1));
        Some(pause)
    }

    /// True if no span was taken for so long.
    pub(crate) fn has_paused(&self, now: Time, pause: Span) -> bool {
        self.latest.is_none_or(|(at, _)| now.since(at) >= pause)
    }

    /// The latest span; `None` before the first.
    pub(crate) fn latest(&self) -> Option<Span> {
        self.latest.map(|(_, span)| span)
    }

    /// The span that this part of the time was not above; `None` if there is none.
    pub(crate) fn quantile(&self, part: f64) -> Option<Span> {
        self.all.quantile(part).map(Span::from_nanos)
    }

    /// The mean span; `None` if there is none.
    pub(crate) fn mean(&self) -> Option<Span> {
        self.all.mean().map(|nanos| Span::from_secs_f64(nanos / 1e9))
    }

    /// The time of which a span is known.
    pub(crate) fn known_time(&self) -> Span {
        WEIGHT * self.all.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long pause is not a long time with the span before it.
    #[test]
    fn each_span_counts_as_long_as_it_is_the_latest() {
        let mut all = OverTime::default();
        for (millis, span) in [(0, 10), (20, 50), (200, 10), (100_000, 10)] {
            all.record(Time::from_millis(millis), Span::from_millis(span));
        }
        // 20 ms and then 200 ms of 10 ms, 180 ms of 50 ms.
        let quantile = |part| all.quantile(part).unwrap().as_secs_f64();
        assert!(quantile(0.5) < 0.011 && quantile(0.6) > 0.049);
        let mean = all.mean().unwrap().as_secs_f64();
        assert!((mean - 0.028).abs() < 1e-4, "{mean}");
    }
}
