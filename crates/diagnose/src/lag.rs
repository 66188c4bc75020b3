//! The lag: the wait for an answer while the path is busy, as a single number.
//!
//! The lag is the least round trip of the path, plus what the queue of its worse direction adds to
//! it for 95 of 100 packets. The lag is measured with packets of a flow that does not load the path
//! itself, as those of a call, a game and a name lookup are. It grows exactly as the delay does: a
//! queue of 12 ms can never look worse than one of a second.
//!
//! The reasons: the least round trip, because it is the same in each run, and does not depend on
//! other traffic; 95 of 100, because people notice the worst moments, and because a queue that is
//! full most of the time has the same 95th percentile in each run, but not the same maximum; one
//! direction, because a sum or a mean of both hides which one is at fault.

use results::{Measurement, ProbeSeries};

/// The lag in milliseconds; `None` where either part was not measured.
pub(crate) fn lag(measurement: &Measurement) -> Option<f64> {
    let (_, direction) = measurement.worse()?;
    stats::finite(least_round_trip(measurement)? + direction.added_p95_ms()?)
}

/// The least round trip of all probes, in milliseconds; if they were not kept, the round trip of
/// the idle path.
pub(crate) fn least_round_trip(measurement: &Measurement) -> Option<f64> {
    let streams = measurement.series.iter().flat_map(|series| &series.probes);
    let least = streams.flat_map(without_waits).filter(|millis| millis.is_finite());
    least.reduce(f64::min).or(measurement.idle_ms)
}

/// The round trips of a stream without the waits of their probes: if both directions of a path were
/// never free at once, no measured round trip is the least.
fn without_waits(stream: &ProbeSeries) -> impl Iterator<Item = f64> + '_ {
    let wait =
        |ways: &[Option<f64>], index: usize| ways.get(index).copied().flatten().unwrap_or(0.0);
    stream.round_trip_ms.iter().enumerate().filter_map(move |(index, round_trip)| {
        Some((*round_trip)? - wait(&stream.up_ms, index) - wait(&stream.down_ms, index))
    })
}

#[cfg(test)]
mod tests {
    use results::MeasuredSeries;

    use super::*;
    use crate::conclusions::tests::direction;

    fn measured(down: f64, up: f64) -> Measurement {
        Measurement {
            idle_ms: Some(21.0),
            download: Some(direction(down)),
            upload: Some(direction(up)),
            ..Measurement::default()
        }
    }

    #[test]
    fn it_is_the_worse_direction_s() {
        assert_eq!(lag(&measured(104.0, 1048.0)), Some(1069.0));
        assert_eq!(lag(&measured(104.0, 4.0)), Some(125.0));
        assert_eq!(lag(&Measurement { idle_ms: None, ..measured(104.0, 4.0) }), None);
    }

    /// A link that was loaded from the beginning has no idle round trip, but a least one.
    #[test]
    fn the_least_round_trip_counts() {
        let mut measurement = measured(10.0, 5.0);
        let round_trip_ms = vec![Some(900.0), None, Some(20.0), Some(f64::NAN)];
        let probes = vec![ProbeSeries { round_trip_ms, ..ProbeSeries::default() }];
        measurement.series = Some(MeasuredSeries { probes, ..MeasuredSeries::default() });
        assert_eq!(lag(&measurement), Some(30.0));
    }

    #[test]
    fn ways_that_were_free_at_different_times_make_the_least_round_trip() {
        let mut measurement = measured(10.0, 5.0);
        let stream = ProbeSeries {
            up_ms: vec![Some(0.0), Some(20.0)],
            down_ms: vec![Some(30.0), Some(0.0)],
            round_trip_ms: vec![Some(38.0), Some(28.0)],
            ..ProbeSeries::default()
        };
        measurement.series =
            Some(MeasuredSeries { probes: vec![stream], ..MeasuredSeries::default() });
        assert_eq!(lag(&measurement), Some(18.0));
    }

    #[test]
    fn it_grows_with_the_delay() {
        let lags: Vec<f64> =
            (0..200).filter_map(|step| lag(&measured(0.0, f64::from(step) * 7.0))).collect();
        assert!(lags.len() == 200 && lags.windows(2).all(|pair| pair[0] < pair[1]), "{lags:?}");
    }
}
