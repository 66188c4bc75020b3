//! Makes a world from a scenario.

use link::{Capacity, GilbertElliott, Link, Loss, Wire};
use qdisc::Environment;
use scenario::{LossPlan, RatePlan, Scenario};
use units::{Bytes, Rate, Rng};

use crate::flow::Flow;
use crate::hops::Hops;
use crate::meter::Meter;
use crate::world::{Direction, World};

/// What an IP packet may measure on every path: Ethernet's.
const MTU: Bytes = Bytes(1500);

/// The world of this scenario at time zero.
pub(crate) fn world(scenario: &Scenario) -> World {
    let rng = Rng::new(scenario.seed);
    let mut directions = Vec::with_capacity(2 * scenario.links.len());
    for link in &scenario.links {
        directions.push(direction(&link.forward, &rng.fork(&format!("{}.forward", link.name))));
        directions.push(direction(&link.reverse, &rng.fork(&format!("{}.reverse", link.name))));
    }
    let mut hops = Hops::default();
    let mut flows = Vec::new();
    for (flow, route) in scenario.flows.iter().zip(scenario.routes()) {
        for _ in 0..flow.count {
            hops.push(&route);
            flows.push(Flow::new(flow));
        }
    }
    World::new(directions, flows, hops)
}

/// The names of the directions: `uplink.forward`, `uplink.reverse`, and so on.
pub(crate) fn direction_names(scenario: &Scenario) -> Vec<String> {
    let both =
        |link: &scenario::Link| ["forward", "reverse"].map(|way| format!("{}.{way}", link.name));
    scenario.links.iter().flat_map(both).collect()
}

/// The names of the flows; the members of a `count` are `name[0]`, `name[1]`, ...
pub(crate) fn flow_names(scenario: &Scenario) -> Vec<String> {
    let mut names = Vec::new();
    for flow in &scenario.flows {
        match flow.count {
            1 => names.push(flow.name.clone()),
            count => names.extend((0..count).map(|member| format!("{}[{member}]", flow.name))),
        }
    }
    names
}

fn direction(spec: &scenario::Direction, rng: &Rng) -> Direction {
    let wire = Wire {
        capacity: capacity(spec),
        shaper: spec.shaper,
        delay: spec.delay,
        loss: loss(&spec.loss),
    };
    let environment = Environment { rate: nominal_rate(spec), mtu: MTU + spec.overhead };
    let queue = spec.queue.build(environment, rng.fork("queue"));
    Direction {
        wire: Link::new(queue, wire, rng.fork("loss")),
        meter: Meter::new(),
        overhead: spec.overhead.0 as u32,
    }
}

fn capacity(spec: &scenario::Direction) -> Capacity {
    match &spec.rate {
        None => Capacity::Unlimited,
        Some(RatePlan::Constant(rate)) => Capacity::Constant(*rate),
        Some(RatePlan::Schedule(schedule)) => Capacity::Scheduled(schedule.clone()),
        Some(RatePlan::Trace { trace, .. }) => Capacity::Traced(trace.clone()),
    }
}

fn loss(plan: &LossPlan) -> Loss {
    match *plan {
        LossPlan::None => Loss::None,
        LossPlan::Random(probability) => Loss::Random(probability),
        LossPlan::Bursty { rate, burst } => {
            let bursts = GilbertElliott::bursts(rate, burst);
            Loss::Bursty(bursts.expect("a checked scenario has a sound loss model"))
        }
    }
}

/// The rate for which a queue without a rate of its own is set up: that of the beginning, or a
/// trace's mean.
fn nominal_rate(spec: &scenario::Direction) -> Rate {
    match &spec.rate {
        None => Rate::from_mbit(1_000_000),
        Some(RatePlan::Constant(rate)) => *rate,
        Some(RatePlan::Schedule(schedule)) => schedule.steps()[0].1,
        Some(RatePlan::Trace { trace, .. }) => trace.average_rate(),
    }
}
