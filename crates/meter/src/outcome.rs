//! The parts of a result document that are about all links and flows together.

use results::{Cost, Distributions};
use scenario::Scenario;
use stats::Histogram;
use units::{Bytes, DirectionId, PerWay};

use crate::{Counters, kept_flows};

/// The distributions of delays since the statistics began: the sojourns of each direction, and the
/// round trips (of datagrams: the one-way delays) of the flows that have a timeline. All in
/// nanoseconds.
pub fn distributions<'a>(
    scenario: &Scenario,
    sojourns: impl Fn(DirectionId) -> &'a Histogram,
    delays: impl Fn(usize) -> &'a Histogram,
) -> Distributions {
    let mut distributions = Distributions::new();
    for (index, link) in scenario.links.iter().enumerate() {
        let both = PerWay::new(|way| sojourns(DirectionId::new(index, way)));
        distributions.add_link(link.name.clone(), both);
    }
    let names = scenario.flow_names();
    for flow in kept_flows(scenario) {
        distributions.add_flow(names[flow].clone(), delays(flow));
    }
    distributions
}

/// The number of packets that were carried, over all directions and over the busiest one: the cost
/// of a run is given per packet. Each direction comes with its counters since the beginning, and
/// with the most that its wire could have carried since then.
pub fn carried(directions: impl IntoIterator<Item = (Counters, Option<Bytes>)>) -> Cost {
    let (mut packets, mut most) = (0, 0);
    let mut busiest: Option<(f64, u64)> = None;
    for (counters, capacity) in directions {
        let delivered = counters.delivered_packets;
        packets += delivered;
        most = most.max(delivered);
        let Some(capacity) = capacity else { continue };
        let use_of_capacity = counters.delivered_bytes as f64 / capacity.0.max(1) as f64;
        if busiest.is_none_or(|(other, _)| use_of_capacity >= other) {
            busiest = Some((use_of_capacity, delivered));
        }
    }
    let bottleneck_packets = busiest.map_or(most, |(_, packets)| packets);
    Cost { bottleneck_packets, packets, ..Cost::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottleneck_is_where_most_of_the_capacity_was_used() {
        let direction = |packets, capacity: Option<u64>| {
            let counters = Counters {
                delivered_packets: packets,
                delivered_bytes: 1000 * packets,
                ..Counters::default()
            };
            (counters, capacity.map(Bytes))
        };
        let both = |cost: Cost| (cost.bottleneck_packets, cost.packets);
        let (slow, fast, endless) =
            (direction(80, Some(100_000)), direction(90, Some(1_000_000)), direction(100, None));
        assert_eq!(both(carried([slow, fast, endless])), (80, 270));
        assert_eq!(both(carried([endless, direction(7, None)])), (100, 107));
        assert_eq!(both(carried([])), (0, 0));
    }
}
