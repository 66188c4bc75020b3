//! Round trips over time.

use super::{Drawn, curve, key, with_gaps};
use crate::figure::{Axis, Figure, Mark};

pub(super) fn figure(of: &Drawn<'_>) -> Option<Figure> {
    let series = of.series;
    let all = [
        ("by timestamps, to the sender", key::OUT_OF_ORDER, &series.echoes_behind),
        ("by timestamps, to the receiver", key::SACK, &series.echoes),
        ("by acknowledgements, to the receiver", 0, &series.round_trips),
    ];
    let curves: Vec<_> = all
        .iter()
        .filter_map(|(name, key, points)| curve(name, Mark::Line, *key, points, 1.0).map(with_gaps))
        .collect();
    (!curves.is_empty()).then(|| Figure {
        id: of.id("round-trips"),
        title: of.title("Round trips"),
        explanation:
            "From the place of the capture to one end and back. By acknowledgements: only \
                      of data that was sent once (Karn's rule). By timestamps: from a packet to \
                      the first echo of its timestamp; a receiver that delays its acknowledgements \
                      makes these longer. Low and steady is good. A curve that climbs and stays \
                      high shows a queue."
                .into(),
        x: of.time(),
        y: Axis::linear("Round trip", "ms"),
        curves,
    })
}
