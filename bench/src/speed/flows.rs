//! The cost of a flow: the first dumbbell with ten to ten thousand flows. The link's rate grows
//! with their number, so that each flow behaves the same.

use scenario::{Override, Scenario};
use serde::Serialize;

use super::scenarios::{S1, parse};
use crate::child;
use crate::table::{Table, decimals};

/// The numbers of flows and the seconds simulated, chosen for enough packets with few flows and not
/// too many with many.
const CROWDS: [(u32, u32); 4] = [(10, 100), (100, 20), (1000, 10), (10_000, 5)];
/// Each flow's part of the bottleneck's rate, at which eight packets of a flow are in flight
/// without a queue.
const MBIT_PER_FLOW: u32 = 2;
/// The rate of the edges over the bottleneck's, so that they are no bottleneck.
const EDGE_FACTOR: u32 = 10;
/// The packets of each flow that may wait: as many as are in flight without a queue.
const QUEUED_PER_FLOW: u32 = 8;

/// The greatest factor by which the cost of a packet may grow from the fewest flows to the most.
const MOST_GROWTH: f64 = 1.6;
/// The greatest cost of a packet with the most flows, in ns.
const MOST_NS: f64 = 400.0;

/// The cost of simulating this many flows.
#[derive(Serialize)]
pub(crate) struct CrowdCost {
    flows: u32,
    bottleneck_packets: u64,
    cpu_s: f64,
    packet_ns: f64,
    events_per_packet: f64,
    peak_rss_mb: Option<f64>,
    /// The additional memory over the run of the fewest flows, per additional flow, in bytes. It
    /// includes the packets that wait or are in flight.
    flow_bytes: Option<f64>,
}

/// Runs all numbers of flows, each `repeats` times.
pub(crate) fn measure(repeats: u32) -> Result<Vec<CrowdCost>, String> {
    let mut costs: Vec<CrowdCost> = Vec::new();
    for (flows, _) in CROWDS {
        let run = child::cheapest(&["child", &name(flows)], repeats)?;
        let (packets, cpu_s) = (run.cost.bottleneck_packets, child::cpu_s(&run));
        let peak_rss_mb = run.cost.peak_rss_mb;
        let more = |first: &CrowdCost| {
            let bytes = (peak_rss_mb? - first.peak_rss_mb?) * 1e6;
            Some(bytes / f64::from(flows - first.flows))
        };
        costs.push(CrowdCost {
            flows,
            bottleneck_packets: packets,
            cpu_s,
            packet_ns: cpu_s * 1e9 / packets as f64,
            events_per_packet: run.cost.events as f64 / packets as f64,
            peak_rss_mb,
            flow_bytes: costs.first().and_then(more),
        });
    }
    Ok(costs)
}

fn name(flows: u32) -> String {
    format!("flows-{flows}")
}

/// The scenario of this name; `None` if this module has none.
pub(super) fn scenario(wanted: &str) -> Option<Result<Scenario, String>> {
    let &(flows, seconds) = CROWDS.iter().find(|(flows, _)| name(*flows) == wanted)?;
    let edge = format!("{}mbit", flows * MBIT_PER_FLOW * EDGE_FACTOR);
    let set = |path: &str, value: String| Override { path: path.into(), value };
    let overrides = [
        set("duration", format!("{seconds}s")),
        set("link.access.rate", edge.clone()),
        set("link.egress.rate", edge),
        set("link.bottleneck.rate", format!("{}mbit", flows * MBIT_PER_FLOW)),
        set("link.bottleneck.queue", format!("pfifo limit {}", flows * QUEUED_PER_FLOW)),
        set("flow.cubic.count", flows.to_string()),
    ];
    Some(parse(S1, wanted, &overrides))
}

/// The costs side by side.
pub(crate) fn table(costs: &[CrowdCost]) -> Table {
    let headings = [
        "flows",
        "packets",
        "CPU s",
        "ns/packet",
        "x fewest",
        "events/packet",
        "peak MB",
        "bytes/flow",
    ];
    let mut table = Table::new(0, &headings);
    let Some(first) = costs.first() else { return table };
    for cost in costs {
        table.row(vec![
            cost.flows.to_string(),
            cost.bottleneck_packets.to_string(),
            format!("{:.4}", cost.cpu_s),
            format!("{:.0}", cost.packet_ns),
            format!("{:.2}", cost.packet_ns / first.packet_ns),
            format!("{:.2}", cost.events_per_packet),
            decimals(cost.peak_rss_mb, 1),
            decimals(cost.flow_bytes, 0),
        ]);
    }
    table
}

/// A sentence on whether the requirement is met.
pub(crate) fn verdict(costs: &[CrowdCost]) -> String {
    let (Some(first), Some(last)) = (costs.first(), costs.last()) else { return String::new() };
    let growth = last.packet_ns / first.packet_ns;
    let is_met = growth <= MOST_GROWTH && last.packet_ns <= MOST_NS;
    format!(
        "From {} to {} flows of {MBIT_PER_FLOW} Mbit/s the cost of a packet grows {growth:.2} times, \
         to {:.0} ns;\nasked for at most {MOST_GROWTH} times and {MOST_NS} ns: {}.",
        first.flows,
        last.flows,
        last.packet_ns,
        if is_met { "met" } else { "not met" },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flow_has_the_same_whatever_their_number() {
        for (flows, _) in CROWDS {
            let scenario = scenario(&name(flows)).unwrap().unwrap();
            let bottleneck = &scenario.links[1].directions.forward;
            assert_eq!(scenario.flow_names().len(), flows as usize);
            assert_eq!(bottleneck.nominal_rate().bits_per_sec(), u64::from(flows) * 2_000_000);
            assert_eq!(bottleneck.queue.to_string(), format!("pfifo limit {}p", flows * 8));
        }
        assert!(scenario("S1").is_none());
    }

    #[test]
    fn the_verdict_compares_the_fewest_with_the_most() {
        let cost = |flows, packet_ns, peak| CrowdCost {
            flows,
            bottleneck_packets: 1000,
            cpu_s: 0.1,
            packet_ns,
            events_per_packet: 6.0,
            peak_rss_mb: Some(peak),
            flow_bytes: Some(1500.0),
        };
        let text = verdict(&[cost(10, 200.0, 4.0), cost(100, 340.0, 5.0)]);
        assert!(text.contains("grows 1.70 times, to 340 ns"), "{text}");
        assert!(text.contains("at most 1.6 times and 400 ns: not met"), "{text}");
        let text = verdict(&[cost(10, 300.0, 4.0), cost(100, 450.0, 5.0)]);
        assert!(text.ends_with("not met."), "{text}");
        let text = verdict(&[cost(10, 300.0, 4.0), cost(100, 399.0, 5.0)]);
        assert!(text.ends_with(": met."), "{text}");
    }
}
