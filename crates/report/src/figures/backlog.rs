//! The backlog over time.

use super::range::{Readings, curves};
use super::time;
use crate::figure::{Axis, Figure};
use crate::scene::Scene;

pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    let queues = scene.queues();
    let readings = queues.iter().map(|queue| {
        let backlog = &queue.timeline.backlog_packets;
        Readings::of_queue(queue, backlog)
    });
    let curves = curves(&readings.collect::<Vec<_>>());
    let waited = |curve: &crate::Curve| curve.y.iter().flatten().any(|&packets| packets > 0.0);
    curves.iter().any(waited).then(|| Figure {
        id: "backlog".into(),
        title: "Packets in the queue".into(),
        explanation: format!(
            "How many packets waited, from the fewest to the most. A good queue takes a burst and \
            is soon empty again. A queue that is never empty delays everybody, and sends nothing \
            faster. A flat top is the limit at which packets are dropped.{}",
            scene.warmup()
        ),
        x: time(),
        y: Axis::linear("Backlog", "packets"),
        curves,
    })
}
