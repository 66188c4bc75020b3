//! The counts of each flow at each direction, and the fairness between flows there.

use results::{DirectionResult, FlowKind, FlowResult};
use stats::jain;
use units::DirectionId;

/// The counts of one flow's packets at one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HopCounts {
    /// Packets that were offered to the queue.
    pub(crate) offered: u64,
    /// Packets that the queue dropped or the wire lost.
    pub(crate) dropped: u64,
    /// Packets that the queue marked.
    pub(crate) marked: u64,
}

/// The shares of the flows whose data crosses one direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shares {
    /// The goodputs of the bulk flows, in Mbit/s.
    goodput: Vec<f64>,
    /// The sum of all flows' goodputs, in Mbit/s; `None` if no flow has a goodput.
    total: Option<f64>,
    /// Drops per offered packet, of each flow that offered packets.
    drops: Vec<f64>,
}

impl Shares {
    /// Adds a flow that crosses this direction, with its counts there.
    fn add(&mut self, flow: &FlowResult, counts: HopCounts) {
        if flow.kind == FlowKind::Bulk {
            self.goodput.extend(flow.goodput_mbit);
        }
        if let Some(goodput) = flow.goodput_mbit {
            self.total = Some(self.total.unwrap_or(0.0) + goodput);
        }
        if counts.offered > 0 {
            self.drops.push(counts.dropped as f64 / counts.offered as f64);
        }
    }

    /// The direction with the total goodput of its flows, and with Jain's indices.
    pub(crate) fn with_fairness(&self, direction: DirectionResult) -> DirectionResult {
        let (jain_goodput, jain_drops) = (jain(&self.goodput), jain(&self.drops));
        DirectionResult { goodput_mbit: self.total, jain_goodput, jain_drops, ..direction }
    }
}

/// The shares of the flows at each of `directions` directions. Each flow comes with its counts in
/// the directions that its data crosses.
pub(crate) fn fairness<'a, T>(
    directions: usize,
    flows: impl IntoIterator<Item = (&'a FlowResult, T)>,
) -> Vec<Shares>
where
    T: IntoIterator<Item = (DirectionId, HopCounts)>,
{
    let mut shares = vec![Shares::default(); directions];
    for (flow, hop_counts) in flows {
        for (direction, counts) in hop_counts {
            shares[direction.index()].add(flow, counts);
        }
    }
    shares
}

/// The result of a flow with the counts of the links: those on the path of its data, and those on
/// the path back, each in the order of the hops. Of the path back only a ping's losses count: a
/// lost reply is a lost ping, while a later acknowledgement replaces one that is lost.
pub(crate) fn with_link_counts(
    flow: FlowResult,
    there: &[HopCounts],
    back: &[HopCounts],
) -> FlowResult {
    let dropped =
        |hop_counts: &[HopCounts]| hop_counts.iter().map(|counts| counts.dropped).sum::<u64>();
    let lost_back = if flow.kind == FlowKind::Ping { dropped(back) } else { 0 };
    FlowResult {
        sent_packets: there.first().map(|counts| counts.offered),
        lost_packets: Some(dropped(there) + lost_back),
        marks: Some(there.iter().map(|counts| counts.marked).sum()),
        ..flow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: HopCounts = HopCounts { offered: 10, dropped: 1, marked: 2 };

    fn flow(kind: FlowKind, goodput: f64) -> FlowResult {
        FlowResult { kind, goodput_mbit: Some(goodput), ..FlowResult::default() }
    }

    #[test]
    fn only_bulk_flows_share_goodput() {
        let flows =
            [flow(FlowKind::Bulk, 1.0), flow(FlowKind::Bulk, 3.0), flow(FlowKind::Cbr, 7.0)];
        let idle = HopCounts::default();
        let directions = [0, 1].map(DirectionId::from_index);
        let counts = [[COUNTS, COUNTS], [COUNTS, idle], [COUNTS, COUNTS]];
        let hop_counts = counts.map(|counts| directions.into_iter().zip(counts));
        let shares = fairness(3, flows.iter().zip(hop_counts));
        let judged = shares[0].with_fairness(DirectionResult::default());
        // Jain's index: (1 + 3)^2 / (2 (1 + 9)).
        assert_eq!(judged.goodput_mbit, Some(11.0));
        assert_eq!((judged.jain_goodput, judged.jain_drops), (Some(0.8), Some(1.0)));
        assert_eq!(shares[1].drops, [0.1, 0.1], "what offers nothing cannot lose");
        assert_eq!(shares[2], Shares::default());
    }

    #[test]
    fn only_a_ping_misses_what_is_lost_on_the_way_back() {
        let charged = |kind| {
            with_link_counts(
                flow(kind, 1.0),
                &[COUNTS, HopCounts { offered: 9, ..COUNTS }],
                &[COUNTS],
            )
        };
        let (bulk, ping) = (charged(FlowKind::Bulk), charged(FlowKind::Ping));
        assert_eq!(
            (bulk.sent_packets, bulk.lost_packets, bulk.marks),
            (Some(10), Some(2), Some(4))
        );
        assert_eq!(
            (ping.sent_packets, ping.lost_packets, ping.marks),
            (Some(10), Some(3), Some(4))
        );
        assert_eq!(with_link_counts(flow(FlowKind::Bulk, 1.0), &[], &[]).sent_packets, None);
    }
}
