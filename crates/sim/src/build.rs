//! Makes a world from a scenario.

use std::sync::Arc;

use link::Link;
use meter::Instruments;
use scenario::{Randomness, Scenario};
use transport::Config;

use crate::flow::Flow;
use crate::hops::Hops;
use crate::store::Store;
use crate::world::{Direction, Parts, World};

/// The world of this scenario at time zero, with its instruments. `configs` are the options of the
/// connections of each flow, which [`fit`](crate::fit()) returns; the members of a `count` share
/// them.
pub(crate) fn world(
    scenario: &Scenario,
    configs: &[Arc<Config>],
    instruments: Instruments,
) -> World {
    let directions = scenario.directions().map(|(spec, randomness)| direction(spec, randomness));
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

fn direction(spec: &scenario::Direction, randomness: Randomness) -> Direction {
    let queue = spec.build_queue(randomness.queue);
    Direction { wire: Link::new(queue, spec.wire(), randomness.loss), framing: spec.framing() }
}
