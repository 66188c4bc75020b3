//! Round trips over the data in flight.

use super::{Drawn, curve, rounded, unit};
use crate::figure::{Axis, Curve, Figure, Mark};
use crate::number::significant;
use results::CapturedPoints;

/// The fewest points that show anything.
const FEWEST: usize = 20;

pub(super) fn figure(of: &Drawn<'_>) -> Option<Figure> {
    let points = &of.series.over_flight;
    if points.value.len() < FEWEST {
        return None;
    }
    let bytes = CapturedPoints { value: points.at_s.clone(), ..CapturedPoints::default() };
    let (unit, factor) = unit(&[&bytes]);
    let mut cloud = curve("round trips", Mark::Points, 0, points, 1.0)?;
    cloud.x = points.at_s.iter().map(|bytes| rounded(bytes * factor)).collect();
    let curves = [Some(cloud), line(of, factor)].into_iter().flatten();
    Some(Figure {
        id: of.id("flight"),
        title: of.title("Data in flight and round trips"),
        explanation: "Each dot is a round trip of data that was sent once. Dots along a straight \
                      line from the origin show a queue that the sender itself fills: each further \
                      byte in flight waits behind the others, and the slope is the rate of the \
                      line. A cloud that goes up and not to the right shows a queue that other \
                      traffic fills."
            .into(),
        x: Axis::linear("Data in flight", unit),
        y: Axis::linear("Round trip", "ms"),
        curves: curves.collect(),
    })
}

/// The line of the rate that the diagnosis has found, from the shortest round trip to the longest; `None` if it has
/// found none.
fn line(of: &Drawn<'_>, factor: f64) -> Option<Curve> {
    let queue = of.sender.this.queue.as_ref()?;
    let rate = queue.rate_mbit?;
    let ends = [queue.waits.least_ms?, queue.waits.most_ms?];
    let bytes = |millis: f64| rounded(millis * rate * 1e3 / 8.0 * factor);
    Some(Curve {
        name: format!("{} Mbit/s", significant(rate)),
        mark: Mark::Guide,
        x: ends.map(bytes).to_vec(),
        y: ends.map(Some).to_vec(),
        ..Curve::default()
    })
}
