//! The added delay in each direction, over time.

use results::MeasuredSeries;

use super::{over_time, probes, stages};
use crate::figure::{Axis, Curve, Figure};

/// The least delay that is told apart, in milliseconds: an axis of factors has no zero.
const LEAST_MS: f64 = 0.1;

/// The width of the medians, in seconds: short beside a stage, and long beside the pause between two probes.
const SMOOTH_S: f64 = 0.5;

pub(super) fn figure(series: &MeasuredSeries) -> Option<Figure> {
    // The other classes are in the plot of round trips.
    let stream = probes(series)?;
    let drawn = |ms: &[Option<f64>]| -> Vec<_> {
        ms.iter().map(|it| it.map(|it| it.max(LEAST_MS))).collect()
    };
    let curve =
        |name, ms: &[Option<f64>]| over_time::smooth(name, &stream.at_s, &drawn(ms), SMOOTH_S);
    let both = [curve("download", &stream.down_ms), curve("upload", &stream.up_ms)];
    let curves: Vec<Curve> = both.into_iter().flatten().collect();
    let medians = match curves.iter().all(|it| it.smoothed_over.is_some()) {
        true => {
            " A curve shows medians over half a second, until \"All values\" shows each packet."
        }
        false => "",
    };
    (!curves.is_empty()).then(|| Figure {
        id: "added".into(),
        title: "Added delay, one way".into(),
        explanation: format!(
            "The same packets, for each direction alone: how much longer than at best they took to \
             the server and from it. On a good line each curve rises little, and only while its own \
             direction is loaded. The height of a curve is the delay of the queue.{medians} The scale is \
             logarithmic; less than 0.1 ms is drawn at the line <0.1."
        ),
        x: Axis::linear("Time", "s"),
        y: Axis::log_from(LEAST_MS, "Added delay", "ms"),
        curves: stages(series).chain(curves).collect(),
    })
}
