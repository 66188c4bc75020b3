//! Makes a result document from a world that has run.

use results::{
    Cost, Direction, Distributions, Document, FlowResult, LinkResult, MeanMax, Sojourn, jain,
};
use scenario::Scenario;
use units::Time;

use crate::build::flow_names;
use crate::hops::{End, Toll};
use crate::timeline::kept_flows;
use crate::world::World;

/// What happened in `from..world.now`.
pub(crate) fn document(scenario: &Scenario, world: &World, from: Time) -> Document {
    let mut document = Document::new(scenario.to_json());
    let end = Time::ZERO + scenario.duration;
    document.interrupted_s = (world.now < end).then(|| world.now.as_secs_f64());
    let flows: Vec<FlowResult> =
        (0..world.hops.flows()).map(|flow| flow_result(world, flow, from)).collect();
    let fairness = fairness(world, &flows);
    for (index, link) in scenario.links.iter().enumerate() {
        let result = |direction: usize, spec: &scenario::Direction| Direction {
            queue: spec.queue.to_string(),
            ..direction_result(world, direction, from, &fairness[direction])
        };
        let forward = result(2 * index, &link.forward);
        let reverse = result(2 * index + 1, &link.reverse);
        document.links.insert(link.name.clone(), LinkResult { forward, reverse });
    }
    document.flows = flow_names(scenario).into_iter().zip(flows).collect();
    document.cost = cost(world);
    document
}

/// How delays were distributed since the statistics began; of the flows that have a timeline.
pub(crate) fn distributions(scenario: &Scenario, world: &World) -> Distributions {
    let mut distributions = Distributions::new();
    let sojourns = |direction: usize| &world.directions[direction].meter.sojourn;
    for (index, link) in scenario.links.iter().enumerate() {
        let (forward, reverse) = (sojourns(2 * index), sojourns(2 * index + 1));
        distributions.add_link(link.name.clone(), forward, reverse);
    }
    let names = flow_names(scenario);
    for flow in kept_flows(scenario) {
        let delays = world.flows[flow].delays().histogram();
        distributions.add_flow(names[flow].clone(), delays);
    }
    distributions
}

fn direction_result(world: &World, index: usize, from: Time, shares: &Shares) -> Direction {
    let crate::world::Direction { wire, meter, .. } = &world.directions[index];
    let counted = meter.counted();
    let seconds = world.now.since(from).as_secs_f64();
    let capacity = wire.capacity(from, world.now).filter(|capacity| capacity.0 > 0);
    Direction {
        queue: String::new(),
        delivered_packets: counted.delivered_packets,
        delivered_bytes: counted.delivered_bytes,
        rate_mbit: (seconds > 0.0).then(|| counted.delivered_bytes as f64 * 8e-6 / seconds),
        // A packet counts whole when its first bit is sent, though the last may come after the end.
        utilisation: capacity
            .map(|bytes| (counted.departed_bytes as f64 / bytes.0 as f64).min(1.0)),
        drops: counted.drops,
        marks: counted.marks,
        sojourn_ms: Sojourn::of(&meter.sojourn),
        backlog_packets: MeanMax::of(&meter.backlog_packets, world.now),
        backlog_bytes: MeanMax::of(&meter.backlog_bytes, world.now),
        jain_goodput: jain(&shares.goodput),
        jain_drops: jain(&shares.drops),
    }
}

/// How the flows whose data crosses one direction fared there.
#[derive(Clone, Default)]
struct Shares {
    /// What the bulk flows got.
    goodput: Vec<f64>,
    /// Drops per packet offered.
    drops: Vec<f64>,
}

fn fairness(world: &World, flows: &[FlowResult]) -> Vec<Shares> {
    let mut shares = vec![Shares::default(); world.directions.len()];
    for (index, flow) in flows.iter().enumerate() {
        for (direction, toll) in world.hops.tolls(index as u32, End::Source) {
            let Shares { goodput, drops } = &mut shares[direction as usize];
            if flow.kind == "bulk" {
                goodput.extend(flow.goodput_mbit);
            }
            if toll.offered > 0 {
                drops.push(toll.dropped as f64 / toll.offered as f64);
            }
        }
    }
    shares
}

fn flow_result(world: &World, flow: u32, from: Time) -> FlowResult {
    let there: Vec<Toll> = world.hops.tolls(flow, End::Source).map(|(_, toll)| toll).collect();
    let back = world.hops.tolls(flow, End::Sink).map(|(_, toll)| toll);
    let result = world.flows[flow as usize].result(from, world.now);
    let lost_back: u64 = match result.kind.as_str() {
        "ping" => back.map(|toll| toll.dropped).sum(),
        _ => 0,
    };
    FlowResult {
        sent_packets: there.first().map(|toll| toll.offered),
        lost_packets: Some(there.iter().map(|toll| toll.dropped).sum::<u64>() + lost_back),
        marks: Some(there.iter().map(|toll| toll.marked).sum()),
        ..result
    }
}

fn cost(world: &World) -> Cost {
    let carried = || world.directions.iter().map(|d| d.meter.counters.delivered_packets);
    let busiest = world
        .directions
        .iter()
        .filter_map(|direction| {
            let capacity = direction.wire.capacity(Time::ZERO, world.now)?;
            let counters = direction.meter.counters;
            let use_of_capacity = counters.delivered_bytes as f64 / (capacity.0.max(1)) as f64;
            Some((use_of_capacity, counters.delivered_packets))
        })
        .max_by(|one, other| one.0.total_cmp(&other.0));
    Cost {
        bottleneck_packets: busiest.map_or_else(|| carried().max().unwrap_or(0), |(_, n)| n),
        packets: carried().sum(),
        events: world.events,
        ..Cost::default()
    }
}
