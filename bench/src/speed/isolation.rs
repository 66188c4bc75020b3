//! The cost of isolation: CAKE beside FQ-CoDel, with few flows and with many.

use qdisc::{LinkInfo, QdiscSpec};
use serde::Serialize;
use units::{Rng, Span};

use super::queues::{CALM, LEN, Load, OVERLOADED, batch};
use crate::table::Table;

/// The meaning of the columns.
pub(crate) const LEGEND: &str = "\
ns per packet, calm and overloaded as above, but that of 10,000 flows 5000 packets wait at first, and \
one leaves each 0.1 us. x fq_codel: to the cost of FQ-CoDel, which takes turns with it. Flows of one \
host share a quantum, so that a flow is asked the more often before it may send.";

/// The queues; the first is that to which the others are compared. The rate is more than any load.
const QUEUES: [&str; 4] = [
    "fq_codel",
    "cake flows besteffort",
    "cake",
    "cake bandwidth 200gbit diffserv8 ack-filter overhead 44 atm",
];

/// The number of flows, and that of the flows of one host.
const CROWDS: [(u32, u32); 4] = [(10, 1), (10, 10), (10_000, 1), (10_000, 10_000)];
/// The number of batches of each queue, of which the best counts.
const BATCHES: usize = 5;

/// The cost of one queue with this many flows, in ns a packet.
#[derive(Serialize)]
pub(crate) struct IsolationCost {
    queue: &'static str,
    flows: u32,
    flows_per_host: u32,
    calm_ns: f64,
    overloaded_ns: f64,
}

/// Measures all queues with all numbers of flows.
pub(crate) fn measure() -> Vec<IsolationCost> {
    CROWDS.iter().flat_map(|crowd| side_by_side(*crowd)).collect()
}

fn side_by_side((flows, flows_per_host): (u32, u32)) -> Vec<IsolationCost> {
    let cost = |queue| IsolationCost {
        queue,
        flows,
        flows_per_host,
        calm_ns: f64::INFINITY,
        overloaded_ns: f64::INFINITY,
    };
    let mut costs: Vec<_> = QUEUES.into_iter().map(cost).collect();
    let is_crowd = flows > CALM.flows;
    let calm = Load {
        flows,
        flows_per_host,
        standing: if is_crowd { 5000 } else { CALM.standing },
        step: if is_crowd { Span::from_nanos(100) } else { CALM.step },
        ..CALM
    };
    let overloaded =
        Load { step: OVERLOADED.step, rate: OVERLOADED.rate, arrivals_per_departure: 2, ..calm };
    for _ in 0..BATCHES {
        for cost in &mut costs {
            cost.calm_ns = cost.calm_ns.min(one(cost.queue, calm));
            cost.overloaded_ns = cost.overloaded_ns.min(one(cost.queue, overloaded));
        }
    }
    costs
}

fn one(queue: &str, load: Load) -> f64 {
    let spec: QdiscSpec = queue.parse().expect("a queue of this list");
    batch(spec.build(LinkInfo::new(load.rate, LEN), Rng::new(1)), load)
}

/// The costs side by side.
pub(crate) fn table(costs: &[IsolationCost]) -> Table {
    let headings =
        ["queue", "flows", "of one host", "calm ns", "x fq_codel", "overloaded ns", "x fq_codel"];
    let mut table = Table::new(1, &headings);
    for crowd in costs.chunks(QUEUES.len()) {
        for cost in crowd {
            table.row(vec![
                cost.queue.into(),
                cost.flows.to_string(),
                cost.flows_per_host.to_string(),
                format!("{:.1}", cost.calm_ns),
                format!("{:.2}", cost.calm_ns / crowd[0].calm_ns),
                format!("{:.1}", cost.overloaded_ns),
                format!("{:.2}", cost.overloaded_ns / crowd[0].overloaded_ns),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_of_the_list_is_one() {
        for queue in QUEUES {
            assert!(queue.parse::<QdiscSpec>().is_ok(), "{queue}");
        }
    }

    #[test]
    fn each_crowd_is_compared_with_its_own_fq_codel() {
        let cost = |queue, flows, calm_ns| IsolationCost {
            queue,
            flows,
            flows_per_host: 1,
            calm_ns,
            overloaded_ns: 2.0 * calm_ns,
        };
        let crowd =
            |flows, factor: f64| QUEUES.map(|queue| cost(queue, flows, factor * flows as f64));
        let mut costs: Vec<_> = crowd(10, 1.0).into_iter().chain(crowd(100, 1.0)).collect();
        costs[7].calm_ns = 250.0;
        let text = table(&costs).render(crate::table::Format::Text);
        assert_eq!(text.matches(" 2.50").count(), 1, "{text}");
        assert_eq!(text.matches(" 1.00").count(), 15, "{text}");
    }
}
