//! Throughput and goodput over time.

use super::{Drawn, key, rounded};
use crate::figure::{Axis, Curve, Figure, Mark};

pub(super) fn figure(of: &Drawn<'_>) -> Option<Figure> {
    let series = of.series;
    let curve = |name: &str, key: usize, bytes: &[u64]| {
        let mbit = |bytes: &u64| Some(rounded(*bytes as f64 * 8.0 / 1e6 / series.step_s));
        // The last step holds on until its end.
        let all = bytes.iter().chain(bytes.last());
        Curve {
            name: name.into(),
            mark: Mark::Steps,
            x: (0..=bytes.len())
                .map(|step| rounded(series.from_s + step as f64 * series.step_s))
                .collect(),
            y: all.map(mbit).collect(),
            key: Some(key),
            ..Curve::default()
        }
    };
    (series.new_bytes.len() > 2).then(|| Figure {
        id: of.id("rates"),
        title: of.title("Throughput and goodput"),
        explanation: format!(
            "Throughput counts all data that was sent, goodput only data that was sent for the \
             first time, each over {:.0} ms. The distance between the curves is data that was sent \
             again.",
            series.step_s * 1e3
        ),
        x: of.time(),
        y: Axis::linear("Rate of data", "Mbit/s"),
        curves: vec![
            curve("throughput", key::AGAIN, &series.sent_bytes),
            curve("goodput", key::ACK, &series.new_bytes),
        ],
    })
}
