//! How long packets wait, over time.

use super::range::{Readings, curves};
use super::scene::Scene;
use super::{delays, time};
use crate::figure::Figure;

pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    let queues = scene.queues();
    let readings = queues.iter().map(|queue| {
        let sojourns = &queue.timeline.sojourn_ms;
        Readings::of_queue(queue, sojourns)
    });
    let curves = curves(&readings.collect::<Vec<_>>());
    let of = if scene.is_comparison() { "with each queue" } else { "in each queue" };
    (!curves.is_empty()).then(|| Figure {
        id: "delay".into(),
        title: "Delay in the queue".into(),
        explanation: format!(
            "How long packets waited {of} before they were sent; the line is the longest wait and \
             the shaded range reaches down to the shortest. Low is good: a healthy queue stays below \
             some 20 ms however busy its link is. A line that climbs and stays up is bufferbloat.{}",
            scene.warmup()
        ),
        x: time(),
        y: delays("Wait", &curves),
        curves,
    })
}
