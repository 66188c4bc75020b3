//! The higher percentiles of a delay, told only where the test has seen enough of them.
//!
//! A percentile that is the longest delay of all has no upper bound: the next seconds might have
//! shown a longer one. While both directions are loaded a queue is long only now and then, and a
//! percentile depends on how often.

use results::{Certainty, DelaySpread, LoadedDirection};

/// The distance of a lower bound, as a part of the percentile and in milliseconds, beyond which the
/// percentile is not known without an upper bound.
const FAR: f64 = 0.02;
const FAR_AT_ALL: f64 = 2.0;

/// The distance of the bounds of a queue that is long now and then, as a part of the percentile and
/// in milliseconds.
const WIDE: f64 = 0.3;
const WIDE_AT_ALL: f64 = 4.0;

/// The results of the direction, without a 99th percentile that is the longest delay of all and
/// whose lower bound is far away.
pub(crate) fn seen(direction: LoadedDirection) -> LoadedDirection {
    let has_upper =
        |p99: f64, [low, high]: [f64; 2]| p99 < high || p99 - low <= (FAR * p99).max(FAR_AT_ALL);
    let DelaySpread { p95, p99, .. } = direction.added_delay_ms;
    let bounds = direction.certainty.added_p99_ms;
    let p99 = p99.filter(|p99| bounds.is_none_or(|bounds| has_upper(*p99, bounds)));
    with(direction, p95, p99)
}

/// The results of the direction, with higher percentiles only where their bounds are near each
/// other: for a queue that is long now and then, the next seconds would have shown others.
pub(crate) fn settled(both: LoadedDirection) -> LoadedDirection {
    let is_near = |value: &f64, bounds: Option<[f64; 2]>| {
        bounds.is_none_or(|[low, high]| high - low <= (WIDE * value).max(WIDE_AT_ALL))
    };
    let (added, certain) = (both.added_delay_ms, both.certainty);
    let p95 = added.p95.filter(|value| is_near(value, certain.added_p95_ms));
    // A percentile further out is less certain.
    let p99 = added.p99.filter(|value| p95.is_some() && is_near(value, certain.added_p99_ms));
    with(both, p95, p99)
}

/// The results of the direction with these percentiles, and without bounds of percentiles that are
/// `None`.
fn with(direction: LoadedDirection, p95: Option<f64>, p99: Option<f64>) -> LoadedDirection {
    let certainty = Certainty {
        added_p95_ms: direction.certainty.added_p95_ms.filter(|_| p95.is_some()),
        added_p99_ms: direction.certainty.added_p99_ms.filter(|_| p99.is_some()),
        ..direction.certainty
    };
    let added_delay_ms = DelaySpread { p95, p99, ..direction.added_delay_ms };
    LoadedDirection { added_delay_ms, certainty, ..direction }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direction(value: f64, bounds: [f64; 2]) -> LoadedDirection {
        let spread = Some(value);
        LoadedDirection {
            added_delay_ms: DelaySpread { p95: spread, p99: spread, ..DelaySpread::default() },
            certainty: Certainty {
                added_p95_ms: Some(bounds),
                added_p99_ms: Some(bounds),
                ..Certainty::default()
            },
            ..LoadedDirection::default()
        }
    }

    #[test]
    fn what_is_long_now_and_then_has_no_higher_percentile() {
        let told = |bounds| {
            let both = settled(direction(100.0, bounds));
            (both.added_delay_ms.p95, both.certainty.added_p95_ms)
        };
        assert_eq!(told([80.0, 109.0]), (Some(100.0), Some([80.0, 109.0])));
        assert_eq!(told([60.0, 101.0]), (None, None));
        let mut near = direction(100.0, [98.0, 101.0]);
        near.certainty.added_p95_ms = Some([60.0, 101.0]);
        assert_eq!(settled(near).added_delay_ms.p99, None);
    }

    #[test]
    fn the_longest_delay_of_all_is_no_percentile_unless_others_were_nearly_as_long() {
        let told = |value, bounds| {
            let direction = seen(direction(value, bounds));
            assert_eq!(direction.added_delay_ms.p95, Some(value));
            direction.added_delay_ms.p99.zip(direction.certainty.added_p99_ms)
        };
        assert_eq!(told(100.0, [90.0, 100.0]), None);
        assert!(told(100.0, [98.0, 100.0]).is_some() && told(5.0, [3.0, 5.0]).is_some());
        assert!(told(100.0, [90.0, 101.0]).is_some());
    }
}
