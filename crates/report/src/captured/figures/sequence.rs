//! Sequence numbers over time.

use super::{Drawn, curve, key, unit};
use crate::figure::{Axis, Figure, Mark};

pub(super) fn figure(of: &Drawn<'_>) -> Option<Figure> {
    let series = of.series;
    let (unit, factor) = unit(&[&series.data, &series.acks]);
    let all = [
        ("receiver's window", Mark::Steps, key::WINDOW, &series.window_ends),
        ("acknowledged", Mark::Steps, key::ACK, &series.acks),
        ("acknowledged", Mark::Points, key::ACK, &series.repeated_acks),
        ("SACK", Mark::Strokes, key::SACK, &series.sacks),
        ("data", Mark::Strokes, key::DATA, &series.data),
        ("out of order", Mark::Strokes, key::OUT_OF_ORDER, &series.out_of_order),
        ("sent again", Mark::Strokes, key::AGAIN, &series.again),
        ("SYN, FIN, RST", Mark::Points, key::ENDS, &series.ends),
    ];
    let curves =
        all.iter().filter_map(|(name, mark, key, points)| curve(name, *mark, *key, points, factor));
    (!series.data.value.is_empty()).then(|| Figure {
        id: of.id("sequence"),
        title: of.title("Time sequence"),
        explanation:
            "Each stroke is a segment, from its first byte to its last. The distance from \
                      the data down to the acknowledged line is the data in flight, and the \
                      distance to the right is the round trip. The window is how far the receiver \
                      lets the sender go. Drag to zoom in. Hide the window to see the rest larger."
                .into(),
        x: of.time(),
        y: Axis::linear("Byte of the stream", unit),
        curves: curves.collect(),
    })
}
