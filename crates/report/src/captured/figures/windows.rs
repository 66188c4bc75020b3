//! The data in flight and the receiver's window over time.

use results::CapturedPoints;

use super::{Drawn, curve, key, unit};
use crate::figure::{Axis, Curve, Figure, Mark};

pub(super) fn figure(of: &Drawn<'_>) -> Option<Figure> {
    let series = of.series;
    let (unit, factor) = unit(&[&series.in_flight, &series.windows]);
    let lines = [
        curve("receiver's window", Mark::Steps, key::WINDOW, &series.windows, factor),
        curve("data in flight", Mark::Line, key::DATA, &series.in_flight, factor),
    ];
    let curves: Vec<_> =
        closed(&series.windows).into_iter().chain(lines.into_iter().flatten()).collect();
    (!series.in_flight.value.is_empty()).then(|| Figure {
        id: of.id("windows"),
        title: of.title("Data in flight and the receiver's window"),
        explanation:
            "Where the data in flight reaches the window, the receiver limits the sender. \
                      Where the data in flight stays below the window, the path or the program is \
                      the limit. In the parts named `closed` the window is zero."
                .into(),
        x: of.time(),
        y: Axis::linear("Bytes", unit),
        curves,
    })
}

/// The times in which the window was closed: from a window of zero to the next that is not.
fn closed(windows: &CapturedPoints) -> Vec<Curve> {
    let mut spans = Vec::new();
    let mut since = None;
    for (at, window) in windows.at_s.iter().zip(&windows.value) {
        match (since, *window > 0.0) {
            (None, false) => since = Some(*at),
            (Some(from), true) => {
                spans.push([from, *at]);
                since = None;
            }
            _ => {}
        }
    }
    spans.extend(since.zip(windows.at_s.last().copied()).map(|(from, to)| [from, to]));
    let span = |ends: [f64; 2]| Curve {
        name: "closed".into(),
        mark: Mark::Span,
        x: ends.to_vec(),
        y: vec![None; 2],
        ..Curve::default()
    };
    spans.into_iter().map(span).collect()
}
