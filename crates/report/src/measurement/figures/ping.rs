//! Round trips of the probes, over time.

use results::MeasuredSeries;

use super::{over_time, stages};
use crate::figure::{Axis, Curve, Figure};
use crate::text::printable;

pub(super) fn figure(series: &MeasuredSeries) -> Option<Figure> {
    let curves: Vec<Curve> = series
        .probes
        .iter()
        .chain(&series.pings)
        .filter_map(|stream| {
            let class = printable(&stream.class);
            let name = if class == "ICMP" { class } else { format!("UDP {class}") };
            over_time::curve(name.trim(), &stream.at_s, &stream.round_trip_ms)
        })
        .collect();
    (!curves.is_empty()).then(|| Figure {
        id: "ping".into(),
        title: "Ping".into(),
        explanation: "How long small packets went there and back while the flows above loaded the \
                      line. Flat is good: a call or a game would not notice the load. What rises with a \
                      load and stays up is the queue."
            .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Round trip", "ms"),
        curves: stages(series).chain(curves).collect(),
    })
}
