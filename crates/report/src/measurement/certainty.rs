//! The confidence intervals of the figures of a load, and the confidence in its hop.

use results::{Certainty, LoadedDirection, Measurement};

use super::directions::directions;
use crate::number::{fixed, millis, significant};

/// The heading of the lines.
pub(super) const HEADING: &str = "Results of 95 in 100 tests like this one would lie between:";

/// A line for each load whose intervals are known.
pub(super) fn certainty_lines(measurement: &Measurement) -> Vec<String> {
    let line = |(name, direction)| Some(format!("{name}: {}", certainty(direction)?));
    directions(measurement).filter_map(line).collect()
}

/// The line of a load: `19.9 to 20.1 Mbit/s, p50 89 to 93 ms, p95 104 ms`. Bounds
/// that read alike are written once.
fn certainty(direction: &LoadedDirection) -> Option<String> {
    let Certainty { rate_mbit, added_p50_ms, added_p95_ms, added_p99_ms, .. } = direction.certainty;
    let between = |bounds: Option<[f64; 2]>, words: fn(f64) -> String| {
        let [low, high] = bounds?.map(words);
        Some(if low == high { low } else { format!("{low} to {high}") })
    };
    let rate = between(rate_mbit, significant).map(|rate| format!("{rate} Mbit/s"));
    let delays = [("p50", added_p50_ms), ("p95", added_p95_ms), ("p99", added_p99_ms)];
    let delays =
        delays.map(|(name, bounds)| Some(format!("{name} {} ms", between(bounds, millis)?)));
    let known: Vec<String> = [rate].into_iter().chain(delays).flatten().collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// The confidence in the hop of each queue: `The hop is right with a confidence of 90 % (download).`
/// `None` if no hop is known.
pub(super) fn hops_line(measurement: &Measurement) -> Option<String> {
    let known = directions(measurement).filter_map(|(name, direction)| {
        let offender = direction.offender.as_ref().filter(|offender| offender.hop.is_some())?;
        Some(format!("{} % ({name})", fixed(offender.confidence * 100.0, 0)))
    });
    let known: Vec<String> = known.collect();
    let line = format!("The hop is right with a confidence of {}.", known.join(", "));
    (!known.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use results::Offender;

    use super::*;

    #[test]
    fn bounds_that_read_alike_are_told_once() {
        let certainty = Certainty {
            rate_mbit: Some([19.9, 20.1]),
            added_p50_ms: Some([88.7, 93.2]),
            added_p95_ms: Some([104.1, 104.2]),
            added_p99_ms: None,
            loss: None,
        };
        let offender = Offender { hop: Some(1), confidence: 0.9, ..Offender::default() };
        let download =
            LoadedDirection { certainty, offender: Some(offender), ..LoadedDirection::default() };
        let measurement = Measurement { download: Some(download), ..Measurement::default() };
        assert_eq!(
            certainty_lines(&measurement),
            ["download: 19.9 to 20.1 Mbit/s, p50 88.7 to 93.2 ms, p95 104 ms"]
        );
        assert_eq!(
            hops_line(&measurement).as_deref(),
            Some("The hop is right with a confidence of 90 % (download).")
        );
        let unknown = LoadedDirection::default();
        let measurement = Measurement { download: Some(unknown), ..Measurement::default() };
        assert!(certainty_lines(&measurement).is_empty() && hops_line(&measurement).is_none());
    }
}
