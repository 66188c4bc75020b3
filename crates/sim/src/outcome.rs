//! The result document of a world that has run.

use meter::{FlowReport, Run};
use results::Document;
use scenario::Scenario;
use units::{DirectionId, Time};

use crate::world::World;

/// The result of a world that has run. The scenario in it is empty.
pub(crate) fn document(scenario: &Scenario, world: World) -> Document {
    let World { now, events, directions, flows, instruments, .. } = world;
    let mut document = Document::default();
    let end = Time::ZERO + scenario.duration;
    document.interrupted_s = (now < end).then(|| now.as_secs_f64());
    let from = instruments.from();
    let reports = flows.iter().map(|flow| FlowReport {
        result: flow.result(from, now),
        delays: flow.delays().histogram(),
        delivered: flow.delivered(),
    });
    let queues = scenario.directions().zip(&directions);
    let queues = queues.map(|((spec, _), direction)| direction.wire.queue().name(&spec.queue));
    let run = Run { document, end: now, queues: queues.collect(), flows: reports.collect() };
    let capacity =
        |direction: DirectionId, from: Time| directions[direction.index()].wire.capacity(from, now);
    let mut document = instruments.document(run, capacity);
    document.cost.events = events;
    document
}
