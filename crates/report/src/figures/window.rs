//! The congestion window over time.

use super::range::{Readings, curves};
use super::{has_values, left_out, time};
use crate::figure::{Axis, Figure};
use crate::scene::{FlowGroup, MOST, Scene, crowds};

pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    let mut groups = scene.flows(false, |flow| has_values(&flow.cwnd_segments));
    let more = left_out(&mut groups, MOST);
    let crowds = crowds(groups.iter().map(FlowGroup::crowd), "the highest of them");
    let readings = groups.iter().map(|group| {
        let windows = group.members.iter().map(|(_, flow)| &flow.cwnd_segments).collect();
        Readings::of_flows(group, windows)
    });
    let curves = curves(&readings.collect::<Vec<_>>());
    let whose = if scene.is_comparison() { "the first TCP flow" } else { "each TCP flow" };
    (!curves.is_empty()).then(|| Figure {
        id: "window".into(),
        title: "Congestion window".into(),
        explanation: format!(
            "The congestion window: how many segments {whose} may have in flight. It grows until a \
             packet is dropped or marked, then shrinks. Early, small cuts are good; a window that \
             grows for many seconds fills the queue.{crowds}{more}{}",
            scene.warmup()
        ),
        x: time(),
        y: Axis::linear("Window", "segments"),
        curves,
    })
}
