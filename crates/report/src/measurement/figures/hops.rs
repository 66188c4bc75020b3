//! Round trips to each hop, at its best and under load.

use results::{Hop, Measurement};

use super::super::table::name;
use crate::figure::{Axis, Curve, Figure, Mark};

/// Largest number of hops, for which there is room.
const MOST: usize = 32;

pub(super) fn figure(measurement: &Measurement) -> Option<Figure> {
    let hops = measurement.hops.get(..MOST).unwrap_or(&measurement.hops);
    let of = |name: &str, value: fn(&Hop) -> Option<f64>| {
        // The line continues over hops that do not answer.
        let known = hops.iter().map(value).enumerate();
        let known = known.filter_map(|(index, millis)| Some((index as f64, millis?)));
        let known = known.filter(|(_, millis)| millis.is_finite());
        let (x, y): (Vec<f64>, Vec<Option<f64>>) =
            known.map(|(index, millis)| (index, Some(millis))).unzip();
        let curve = Curve { name: name.into(), mark: Mark::LinePoints, x, y, ..Curve::default() };
        (!curve.x.is_empty()).then_some(curve)
    };
    let curves: Vec<Curve> = [
        of("idle", |hop| hop.min_ms),
        of("download", |hop| hop.download_ms),
        of("upload", |hop| hop.upload_ms),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!curves.is_empty()).then(|| Figure {
        id: "hops".into(),
        title: "Round trips to each hop".into(),
        explanation:
            "How long each router on the path takes to answer: at best (idle), and at the \
                      median while one direction was loaded. The queue is where a curve rises and \
                      stays high to the end; a single slow router is probably just slow to answer."
                .into(),
        x: Axis::named("Hop", hops.iter().map(label)),
        y: Axis::linear("Round trip", "ms"),
        curves,
    })
}

/// The name of a hop: `2 192.0.2.1`, or `2 no answer`.
fn label(hop: &Hop) -> String {
    format!("{} {}", hop.hop, name(hop).unwrap_or_else(|| "no answer".into()))
}
