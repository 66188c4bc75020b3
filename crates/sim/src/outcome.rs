//! Makes a result document from a world that has run.

use meter::{Toll, carried, charge, fairness, judge_calls};
use results::{Cost, Direction, Distributions, Document, FlowResult, LinkResult};
use scenario::Scenario;
use units::Time;

use crate::hops::End;
use crate::world::World;

/// What happened in `from..world.now`.
pub(crate) fn document(scenario: &Scenario, world: &World, from: Time) -> Document {
    let mut document = Document::new(scenario.to_json());
    let end = Time::ZERO + scenario.duration;
    document.interrupted_s = (world.now < end).then(|| world.now.as_secs_f64());
    let mut flows: Vec<FlowResult> =
        (0..world.hops.flows()).map(|flow| flow_result(world, flow, from)).collect();
    judge_calls(scenario, &mut flows, |flow| world.flows[flow].delays().histogram());
    let tolls = (0..).map(|flow| world.hops.tolls(flow, End::Source));
    let shares = fairness(world.directions.len(), flows.iter().zip(tolls));
    for (index, link) in scenario.links.iter().enumerate() {
        let result = |direction: usize, spec: &scenario::Direction| Direction {
            queue: spec.queue.to_string(),
            ..shares[direction].judge(direction_result(world, direction, from))
        };
        let forward = result(2 * index, &link.forward);
        let reverse = result(2 * index + 1, &link.reverse);
        document.links.insert(link.name.clone(), LinkResult { forward, reverse });
    }
    document.flows = scenario.flow_names().into_iter().zip(flows).collect();
    document.cost = cost(world);
    document
}

/// How delays were distributed since the statistics began; of the flows that have a timeline.
pub(crate) fn distributions(scenario: &Scenario, world: &World) -> Distributions {
    let sojourns = |direction: usize| world.directions[direction].meter.sojourn();
    meter::distributions(scenario, sojourns, |flow| world.flows[flow].delays().histogram())
}

fn direction_result(world: &World, index: usize, from: Time) -> Direction {
    let crate::world::Direction { wire, meter, .. } = &world.directions[index];
    let direction = meter.direction(from, world.now, wire.capacity(from, world.now));
    world.others.judge(index, direction, world.now)
}

fn flow_result(world: &World, flow: u32, from: Time) -> FlowResult {
    let tolls = |end| world.hops.tolls(flow, end).map(|(_, toll)| toll).collect::<Vec<Toll>>();
    let result = world.flows[flow as usize].result(from, world.now);
    charge(result, &tolls(End::Source), &tolls(End::Sink))
}

fn cost(world: &World) -> Cost {
    let directions = world.directions.iter().map(|direction| {
        (direction.meter.counters(), direction.wire.capacity(Time::ZERO, world.now))
    });
    Cost { events: world.events, ..carried(directions) }
}
