//! What a flow costs: the first dumbbell with ten to ten thousand flows. The link grows with them,
//! so that each flow does the same whatever their number.

use scenario::{Override, Scenario};
use serde::Serialize;

use super::scenarios::{S1, parse};
use crate::child;
use crate::table::{Table, decimals};

/// How many flows, and how many seconds: enough packets of few, and not too many of many.
const CROWDS: [(u32, u32); 4] = [(10, 100), (100, 20), (1000, 10), (10_000, 5)];
/// Of the bottleneck's rate: eight packets of a flow are under way without a queue.
const MBIT_PER_FLOW: u32 = 2;
/// The edges must not be what is narrow.
const EDGE_FACTOR: u32 = 10;
/// As many more may wait.
const QUEUED_PER_FLOW: u32 = 8;

/// What the cost of a packet may grow by from the fewest to the most.
const MOST_GROWTH: f64 = 1.5;
const MOST_BYTES_PER_FLOW: f64 = 2000.0;

/// What simulating so many flows took.
#[derive(Serialize)]
pub(crate) struct CrowdCost {
    flows: u32,
    bottleneck_packets: u64,
    cpu_s: f64,
    packet_ns: f64,
    events_per_packet: f64,
    peak_rss_mb: Option<f64>,
    /// What the run holds more than that of the fewest flows, over the flows that it has more;
    /// with the packets that are under way and wait.
    flow_bytes: Option<f64>,
}

/// Runs them all, each `repeats` times.
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

/// The scenario of this name, if it is one of these.
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

/// A sentence on whether it is as asked.
pub(crate) fn verdict(costs: &[CrowdCost]) -> String {
    let (Some(first), Some(last)) = (costs.first(), costs.last()) else { return String::new() };
    let growth = last.packet_ns / first.packet_ns;
    let word = |met: bool| if met { "met" } else { "not met" };
    let memory = last.flow_bytes.map_or("not known here".into(), |bytes| {
        format!(
            "{bytes:.0} bytes; asked for {MOST_BYTES_PER_FLOW}: {}",
            word(bytes <= MOST_BYTES_PER_FLOW)
        )
    });
    format!(
        "From {} to {} flows of {MBIT_PER_FLOW} Mbit/s the cost of a packet grows {growth:.2} times; \
         asked for at most {MOST_GROWTH}: {}.\nA flow more, its packets included: {memory}.",
        first.flows,
        last.flows,
        word(growth <= MOST_GROWTH),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flow_has_the_same_whatever_their_number() {
        for (flows, _) in CROWDS {
            let scenario = scenario(&name(flows)).unwrap().unwrap();
            let bottleneck = &scenario.links[1].forward;
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
        let text = verdict(&[cost(10, 300.0, 4.0), cost(100, 480.0, 5.0)]);
        assert!(text.contains("grows 1.60 times; asked for at most 1.5: not met"), "{text}");
        assert!(text.contains("1500 bytes; asked for 2000: met"), "{text}");
    }
}
