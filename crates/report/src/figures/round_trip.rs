//! Round trips over time.

use results::FlowKind;

use super::range::{Readings, curves};
use super::{delays, has_values, left_out, time};
use crate::figure::Figure;
use crate::scene::{FlowGroup, MOST, Scene, crowds};

pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    if scene.is_comparison() && !has_ping(scene) && has_users(scene) {
        // The load's own round trips are not what people wait for.
        return None;
    }
    let mut groups = scene.flows(true, |flow| has_values(&flow.rtt_ms));
    let more = left_out(&mut groups, MOST);
    let crowds = crowds(groups.iter().map(FlowGroup::crowd), "the highest of them");
    let readings = groups.iter().map(|group| {
        let round_trips = group.members.iter().map(|(_, flow)| &flow.rtt_ms).collect();
        Readings::of_flows(group, round_trips)
    });
    let mut curves = curves(&readings.collect::<Vec<_>>());
    let y = delays("Round trip", &mut curves);
    let whose = match scene.is_comparison() {
        true => "a ping or, where there is none, the first flow",
        false => "each flow",
    };
    (!curves.is_empty()).then(|| Figure {
        id: "rtt".into(),
        title: "Round trips".into(),
        explanation: format!(
            "How long {whose} waited for an answer: both directions, with every queue on the path. \
             A click takes as long. Low and steady is good: people notice about 100 ms, and beyond \
             about 300 ms calls and games suffer.{crowds}{more}{}",
            scene.warmup()
        ),
        x: time(),
        y,
        curves,
    })
}

/// True if one of the runs has a ping.
fn has_ping(scene: &Scene<'_>) -> bool {
    let mut kinds = kinds(scene);
    kinds.any(|kind| kind == FlowKind::Ping)
}

/// True if one of the runs has flows behind which a person waits.
fn has_users(scene: &Scene<'_>) -> bool {
    let mut kinds = kinds(scene);
    kinds.any(|kind| matches!(kind, FlowKind::Cbr | FlowKind::Voip | FlowKind::Page))
}

fn kinds<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = FlowKind> + 'a {
    scene.runs.iter().flat_map(|run| run.document.flows.values().map(|flow| flow.kind))
}
