//! Makes a world from a scenario.

use std::sync::Arc;

use link::Link;
use meter::Instruments;
use scenario::{Randomness, Scenario};
use transport::Config;
use units::DirectionId;

use crate::direction::Direction;
use crate::flow::Flow;
use crate::hops::Hops;
use crate::queue::{ForeignQueue, Queue};
use crate::store::Store;
use crate::world::{Parts, World};

/// The world of this scenario at time zero, with its instruments. `configs` are the options of the
/// connections of each flow, which [`fit`](crate::fit()) returns; the members of a `count` share
/// them. `foreign` are the queues that replace those of the scenario.
pub(crate) fn world(
    scenario: &Scenario,
    configs: &[Arc<Config>],
    mut foreign: Vec<ForeignQueue>,
    instruments: Instruments,
) -> World {
    let mut take = |id| {
        let place = foreign.iter().position(|queue| queue.direction == id)?;
        Some(foreign.remove(place))
    };
    let directions = DirectionId::all(scenario.links.len()).zip(scenario.directions());
    let directions =
        directions.map(|(id, (spec, randomness))| direction(id, spec, randomness, take(id)));
    let directions: Vec<_> = directions.collect();
    let mut randomness = scenario.flow_randomness();
    let mut hops = Hops::default();
    let mut flows = Vec::new();
    for ((flow, config), route) in scenario.flows.iter().zip(configs).zip(scenario.routes()) {
        hops.push(&route, flow.count as usize);
        // One stream for each member of a `count`.
        for rng in randomness.by_ref().take(flow.count as usize) {
            flows.push(Flow::new(flow, config, rng));
        }
    }
    let store = Store::new(scenario);
    World::new(Parts { directions, flows, hops, store, instruments })
}

fn direction(
    id: DirectionId,
    spec: &scenario::Direction,
    randomness: Randomness,
    foreign: Option<ForeignQueue>,
) -> Direction {
    let listed = || Queue::Listed(spec.build_queue(randomness.queue));
    let queue = foreign.map_or_else(listed, Queue::foreign);
    Direction::new(id, Link::new(queue, spec.wire(), randomness.loss), spec.framing())
}
