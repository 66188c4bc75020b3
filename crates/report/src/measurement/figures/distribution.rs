//! The distribution of round trips, by load.

use results::{MeasuredSeries, ProbeSeries};

use crate::figure::{Axis, Curve, Figure};

/// Largest number of points of a curve.
const MOST: usize = 400;
/// Least value that is told apart, in milliseconds: a logarithmic axis has no zero.
const LEAST_MS: f64 = 0.01;

pub(super) fn figure(series: &MeasuredSeries) -> Option<Figure> {
    let loads = ["idle", "download", "upload", "both"];
    let curves: Vec<Curve> =
        loads.iter().filter_map(|load| curve(load, within(series, load))).collect();
    (!curves.is_empty()).then(|| Figure {
        id: "cdf".into(),
        title: "Round trips by load".into(),
        explanation: "Each point of a curve shows the percentage of small packets that were back within \
        the time below it. The best curves lie on the curve of the idle line. The distance to the right \
        of it shows how many times slower the load makes the path."
            .into(),
        x: Axis::log_from(LEAST_MS, "Round trip", "ms"),
        y: Axis::linear("Packets", "%"),
        curves,
    })
}

/// The round trips of all probes that were sent in stages with this load, ascending.
fn within(series: &MeasuredSeries, load: &str) -> Vec<f64> {
    let stages = || series.stages.iter().filter(|stage| stage.name == load);
    let is_within = |at: f64| stages().any(|stage| (stage.start_s..stage.end_s).contains(&at));
    let of = |stream: &ProbeSeries| {
        let sent = stream.at_s.iter().zip(&stream.round_trip_ms);
        let sent = sent.filter(|(at, _)| is_within(**at)).filter_map(|(_, value)| *value);
        sent.filter(|value| value.is_finite()).collect::<Vec<f64>>()
    };
    let mut values: Vec<f64> = series.probes.iter().flat_map(of).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The curve of ascending values; `None` if there are none.
fn curve(name: &str, values: Vec<f64>) -> Option<Curve> {
    let last = values.len().checked_sub(1)?;
    let points = MOST.min(values.len());
    let mut curve = Curve { name: name.into(), ..Curve::default() };
    for point in 0..points {
        let index = if points == 1 { last } else { point * last / (points - 1) };
        curve.x.push(values.get(index)?.max(LEAST_MS));
        curve.y.push(Some((index + 1) as f64 / values.len() as f64 * 100.0));
    }
    Some(curve)
}
