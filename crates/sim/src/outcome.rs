//! The result document of a world that has run.

use meter::{HopCounts, carried, charge, fairness, judge_calls};
use results::{Cost, Direction, Distributions, Document, FlowResult, LinkResult};
use scenario::Scenario;
use units::{DirectionId, Time};

use crate::hops::End;
use crate::world::World;

/// The result of `from..world.now`.
pub(crate) fn document(scenario: &Scenario, world: &World, from: Time) -> Document {
    let mut document = Document::new(scenario.to_json());
    let end = Time::ZERO + scenario.duration;
    document.interrupted_s = (world.now < end).then(|| world.now.as_secs_f64());
    let mut flows: Vec<FlowResult> =
        (0..world.hops.flows()).map(|flow| flow_result(world, flow, from)).collect();
    judge_calls(scenario, &mut flows, |flow| world.flows[flow].delays().histogram());
    let hop_counts = (0..).map(|flow| world.hops.hop_counts(flow, End::Source));
    let shares = fairness(world.directions.len(), flows.iter().zip(hop_counts));
    for (index, link) in scenario.links.iter().enumerate() {
        let result = |direction: DirectionId, spec: &scenario::Direction| Direction {
            queue: spec.queue.to_string(),
            ..shares[direction.index()].judge(direction_result(world, direction.index(), from))
        };
        let both =
            LinkResult::new(|way| result(DirectionId::new(index, way), &link.directions[way]));
        document.links.insert(link.name.clone(), both);
    }
    document.flows = scenario.flow_names().into_iter().zip(flows).collect();
    document.cost = cost(world);
    document
}

/// The distributions of delays since the statistics began; of the flows that have a timeline.
pub(crate) fn distributions(scenario: &Scenario, world: &World) -> Distributions {
    let sojourns = |direction: DirectionId| world.directions[direction.index()].meter.sojourn();
    meter::distributions(scenario, sojourns, |flow| world.flows[flow].delays().histogram())
}

fn direction_result(world: &World, index: usize, from: Time) -> Direction {
    let crate::world::Direction { wire, meter, .. } = &world.directions[index];
    let direction = meter.direction(from, world.now, wire.capacity(from, world.now));
    world.others.judge(index, direction, world.now)
}

fn flow_result(world: &World, flow: u32, from: Time) -> FlowResult {
    let hop_counts = |end| {
        world.hops.hop_counts(flow, end).map(|(_, counts)| counts).collect::<Vec<HopCounts>>()
    };
    let result = world.flows[flow as usize].result(from, world.now);
    charge(result, &hop_counts(End::Source), &hop_counts(End::Sink))
}

fn cost(world: &World) -> Cost {
    let directions = world.directions.iter().map(|direction| {
        (direction.meter.counters(), direction.wire.capacity(Time::ZERO, world.now))
    });
    Cost { events: world.events, ..carried(directions) }
}
