//! The added delay in each direction, over time.

use results::MeasuredSeries;

use super::{over_time, probes, stages};
use crate::figure::{Axis, Curve, Figure};

pub(super) fn figure(series: &MeasuredSeries) -> Option<Figure> {
    // The other classes are in the plot of round trips.
    let stream = probes(series)?;
    let up = over_time::curve("upload", &stream.at_s, &stream.up_ms);
    let down = over_time::curve("download", &stream.at_s, &stream.down_ms);
    let curves: Vec<Curve> = [down, up].into_iter().flatten().collect();
    (!curves.is_empty()).then(|| Figure {
        id: "added".into(),
        title: "Added delay, one way".into(),
        explanation:
            "The same packets, each way on its own: how much longer than at best they took \
                      up to the server and down from it. Each curve shall rise only where its own \
                      direction is loaded, and little; how far it rises is how long its queue is."
                .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Added delay", "ms"),
        curves: stages(series).chain(curves).collect(),
    })
}
