//! Round trips of the probes, over time.

use results::{MeasuredSeries, ProbeSeries};

use super::{over_time, stages};
use crate::figure::{Axis, Curve, Figure};
use crate::text::printable;

pub(super) fn figure(series: &MeasuredSeries) -> Option<Figure> {
    let streams: Vec<&ProbeSeries> = series.probes.iter().chain(&series.pings).collect();
    let curve = |(index, stream): (usize, &&ProbeSeries)| {
        let before = streams.iter().take(index).filter(|other| other.class == stream.class);
        let name = name(&stream.class, before.count() + 1);
        over_time::curve(&name, &stream.at_s, &stream.round_trip_ms)
    };
    let curves: Vec<Curve> = streams.iter().enumerate().filter_map(curve).collect();
    (!curves.is_empty()).then(|| Figure {
        id: "ping".into(),
        title: "Ping".into(),
        explanation:
            "The round trips of small packets while the flows above loaded the line. Flat \
                      is good: a call or a game would not notice the load. A curve that rises with \
                      a load and stays high shows a queue."
                .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Round trip", "ms"),
        curves: stages(series).chain(curves).collect(),
    })
}

/// The name of the `nth` stream of a class, from 1: `UDP BE`, `UDP BE 2`, `ICMP`.
fn name(class: &str, nth: usize) -> String {
    let class = printable(class);
    let name = if class == "ICMP" { class } else { format!("UDP {class}") };
    let name = name.trim();
    if nth == 1 { name.to_owned() } else { format!("{name} {nth}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_a_class_are_numbered() {
        assert_eq!([name("BE", 1), name("BE", 2)], ["UDP BE", "UDP BE 2"]);
        assert_eq!([name("ICMP", 1), name("", 1)], ["ICMP", "UDP"]);
    }
}
