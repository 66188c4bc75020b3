//! Makes the result document of a run.

use results::{Cost, DirectionResult, Distributions, Document, FlowResult, LinkResult};
use stats::Histogram;
use units::{Bytes, DirectionId, PerWay, Time};

use super::Instruments;
use super::direction_counts::DirectionCounts;
use crate::calls::judge_call;
use crate::hop_counts::{Shares, fairness, with_link_counts};
use crate::{Counters, HopCounts};

/// The parts of a result that only the driver knows.
#[derive(Debug)]
pub struct Run<'a> {
    /// A document without results, of the scenario as run.
    pub document: Document,
    /// The time at which the run ended.
    pub end: Time,
    /// The queue of each direction, in the syntax of `tc`.
    pub queues: Vec<String>,
    /// The flows in the order of their numbers.
    pub flows: Vec<FlowReport<'a>>,
}

/// The results of a flow, as its ends know them.
#[derive(Clone, Debug)]
pub struct FlowReport<'a> {
    /// The result without what only the links know: the packets that were sent, lost and marked.
    pub result: FlowResult,
    /// Round trips, or one-way delays of datagrams, in nanoseconds, since the statistics began.
    pub delays: &'a Histogram,
    /// Application bytes delivered since the beginning of the run.
    pub delivered: u64,
}

impl Instruments {
    /// The result document of a run that has ended. `capacity` is the most that the wire of a
    /// direction could carry from a time to the end of the run; `None` if it has no limit.
    pub fn document(
        mut self,
        run: Run<'_>,
        capacity: impl Fn(DirectionId, Time) -> Option<Bytes>,
    ) -> Document {
        let Run { mut document, end, queues, flows: reports } = run;
        if let Some(timeline) = self.timeline.take() {
            let delivered = |flow: usize| reports[flow].delivered;
            let counters = self.directions.iter().map(DirectionCounts::counters);
            document.timeline = Some(timeline.finish(end, counters, delivered));
            document.distributions = Some(self.distributions(&reports));
        }
        let flows = self.flow_results(reports);
        let shares = self.shares(&flows);
        for (link, name) in self.network.links.iter().enumerate() {
            let result = |direction: DirectionId| DirectionResult {
                queue: queues[direction.index()].clone(),
                ..self.direction(direction, &shares, end, capacity(direction, self.from))
            };
            let both = LinkResult::new(|way| result(DirectionId::new(link, way)));
            document.links.insert(name.clone(), both);
        }
        let capacities = self.network.directions().map(|it| capacity(it, self.start));
        document.cost =
            carried(self.directions.iter().map(DirectionCounts::counters).zip(capacities));
        let names = self.network.flows.into_iter().map(|flow| flow.name);
        document.flows = names.zip(flows).collect();
        document
    }

    /// The results of the flows with what only the links know.
    fn flow_results(&self, reports: Vec<FlowReport<'_>>) -> Vec<FlowResult> {
        let flows = self.network.flows.iter().zip(reports).enumerate();
        let result = |(number, (flow, report)): (usize, (&crate::NetworkFlow, FlowReport<'_>))| {
            let [there, back] =
                [&flow.paths.there, &flow.paths.back].map(|path| self.hop_counts(path, number));
            let result = with_link_counts(report.result, &there, &back);
            judge_call(result, flow.codec, report.delays)
        };
        flows.map(result).collect()
    }

    /// The counts of a flow at each direction of a path.
    pub(super) fn hop_counts(&self, path: &[DirectionId], flow: usize) -> Vec<HopCounts> {
        let counts = |direction: &DirectionId| {
            self.hops.counts(self.directions[direction.index()].row, flow)
        };
        path.iter().map(counts).collect()
    }

    /// The shares of the flows at each direction that their data crosses.
    fn shares(&self, flows: &[FlowResult]) -> Vec<Shares> {
        let paths = self.network.flows.iter().map(|flow| &flow.paths.there);
        let hop_counts = paths
            .enumerate()
            .map(|(number, path)| path.iter().copied().zip(self.hop_counts(path, number)));
        fairness(self.directions.len(), flows.iter().zip(hop_counts))
    }

    /// The result of a direction, but for the name of its queue.
    fn direction(
        &self,
        direction: DirectionId,
        shares: &[Shares],
        end: Time,
        capacity: Option<Bytes>,
    ) -> DirectionResult {
        let index = direction.index();
        let counted = self.directions[index].meter.direction(self.from, end, capacity);
        shares[index].with_fairness(self.others.with_grade(index, counted, end))
    }

    /// The distributions of delays since the statistics began: the sojourns of each direction, and
    /// the round trips (of datagrams: the one-way delays) of the flows that have a timeline.
    fn distributions(&self, reports: &[FlowReport<'_>]) -> Distributions {
        let mut distributions = Distributions::new();
        for (link, name) in self.network.links.iter().enumerate() {
            let sojourns = PerWay::new(|way| {
                self.directions[DirectionId::new(link, way).index()].meter.sojourn()
            });
            distributions.add_link(name.clone(), sojourns);
        }
        for flow in self.network.recorded_flows() {
            distributions.add_flow(self.network.flows[flow].name.clone(), reports[flow].delays);
        }
        distributions
    }
}

/// The number of packets that were carried, over all directions and over the busiest one, since the
/// cost of a run is given per packet. Each direction comes with its counters since the beginning,
/// and with the most that its wire could have carried since then.
fn carried(directions: impl IntoIterator<Item = (Counters, Option<Bytes>)>) -> Cost {
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
