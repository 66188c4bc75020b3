//! The delay in the queue over time.

use super::range::{Readings, curves, small_curves};
use super::{delays, time};
use crate::figure::{Axis, Figure, Scale};
use crate::grade::HEALTHY_BELOW;
use crate::scene::Scene;

pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    let queues = scene.queues();
    let readings = queues.iter().map(|queue| {
        let sojourns = &queue.timeline.sojourn_ms;
        Readings::of_queue(queue, sojourns)
    });
    let readings: Vec<Readings<'_>> = readings.collect();
    let mut curves =
        if scene.is_comparison() { small_curves(&readings) } else { curves(&readings) };
    let y = delays("Wait", &mut curves);
    let y = Axis { panels: scene.is_comparison() && curves.len() > 1, ..y };
    let range = match y.scale {
        Scale::Linear => "; the shaded range reaches down to the shortest wait",
        Scale::Log => "",
    };
    let of = if scene.is_comparison() { "with each queue" } else { "in each queue" };
    (!curves.is_empty()).then(|| Figure {
        id: "delay".into(),
        title: "Delay in the queue".into(),
        explanation: format!(
            "How long packets waited {of} before they were sent: the line is the longest \
             wait{range}. Low is good: a healthy queue stays below {HEALTHY_BELOW}, however busy its \
             link is. A line that climbs and stays high is bufferbloat; in a fair queue, only the load \
             waits so long.{}",
            scene.warmup()
        ),
        x: time(),
        y,
        curves,
    })
}
