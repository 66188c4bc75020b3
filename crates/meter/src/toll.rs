//! What each flow met at each direction, and how evenly they fared there.

use results::{Direction, FlowResult, jain};

/// What became of one flow's packets at one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Toll {
    /// Packets that were offered to the queue.
    pub offered: u64,
    /// Packets that the queue dropped or the wire lost.
    pub dropped: u64,
    /// Packets that the queue marked.
    pub marked: u64,
}

/// How the flows whose data crosses one direction fared there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    /// What the bulk flows got, Mbit/s.
    goodput: Vec<f64>,
    /// What all flows got together, Mbit/s; `None` if no flow has a goodput.
    total: Option<f64>,
    /// Drops per packet offered, of all flows that offered some.
    drops: Vec<f64>,
}

impl Shares {
    /// A flow crosses this direction and met this there.
    pub fn add(&mut self, flow: &FlowResult, toll: Toll) {
        if flow.kind == "bulk" {
            self.goodput.extend(flow.goodput_mbit);
        }
        if let Some(goodput) = flow.goodput_mbit {
            self.total = Some(self.total.unwrap_or(0.0) + goodput);
        }
        if toll.offered > 0 {
            self.drops.push(toll.dropped as f64 / toll.offered as f64);
        }
    }

    /// The direction with the goodput of the flows that cross it, and Jain's indices.
    pub fn judge(&self, direction: Direction) -> Direction {
        let (jain_goodput, jain_drops) = (jain(&self.goodput), jain(&self.drops));
        Direction { goodput_mbit: self.total, jain_goodput, jain_drops, ..direction }
    }
}

/// How the flows fared at each of so many directions. With each flow come the tolls of the
/// directions that its data crosses.
pub fn fairness<'a, T>(
    directions: usize,
    flows: impl IntoIterator<Item = (&'a FlowResult, T)>,
) -> Vec<Shares>
where
    T: IntoIterator<Item = (usize, Toll)>,
{
    let mut shares = vec![Shares::default(); directions];
    for (flow, tolls) in flows {
        tolls.into_iter().for_each(|(direction, toll)| shares[direction].add(flow, toll));
    }
    shares
}

/// The flow with what the links did to it: the tolls of the way that its data took, and of the way
/// back, each in the order of the hops. Of the way back only a ping's losses count: its reply is as
/// good as its request, while of an acknowledgement another one takes the place.
pub fn charge(flow: FlowResult, there: &[Toll], back: &[Toll]) -> FlowResult {
    let dropped = |tolls: &[Toll]| tolls.iter().map(|toll| toll.dropped).sum::<u64>();
    let lost_back = if flow.kind == "ping" { dropped(back) } else { 0 };
    FlowResult {
        sent_packets: there.first().map(|toll| toll.offered),
        lost_packets: Some(dropped(there) + lost_back),
        marks: Some(there.iter().map(|toll| toll.marked).sum()),
        ..flow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLL: Toll = Toll { offered: 10, dropped: 1, marked: 2 };

    fn flow(kind: &str, goodput: f64) -> FlowResult {
        FlowResult { kind: kind.into(), goodput_mbit: Some(goodput), ..FlowResult::default() }
    }

    #[test]
    fn only_bulk_flows_share_goodput() {
        let flows = [flow("bulk", 1.0), flow("bulk", 3.0), flow("cbr", 7.0)];
        let idle = Toll::default();
        let tolls = [[(0, TOLL), (1, TOLL)], [(0, TOLL), (1, idle)], [(0, TOLL), (1, TOLL)]];
        let shares = fairness(3, flows.iter().zip(tolls));
        let judged = shares[0].judge(Direction::default());
        // Jain's index: (1 + 3)^2 / (2 (1 + 9)).
        assert_eq!(judged.goodput_mbit, Some(11.0));
        assert_eq!((judged.jain_goodput, judged.jain_drops), (Some(0.8), Some(1.0)));
        assert_eq!(shares[1].drops, [0.1, 0.1], "what offers nothing cannot lose");
        assert_eq!(shares[2], Shares::default());
    }

    #[test]
    fn only_a_ping_misses_what_is_lost_on_the_way_back() {
        let charged = |kind| charge(flow(kind, 1.0), &[TOLL, Toll { offered: 9, ..TOLL }], &[TOLL]);
        let (bulk, ping) = (charged("bulk"), charged("ping"));
        assert_eq!(
            (bulk.sent_packets, bulk.lost_packets, bulk.marks),
            (Some(10), Some(2), Some(4))
        );
        assert_eq!(
            (ping.sent_packets, ping.lost_packets, ping.marks),
            (Some(10), Some(3), Some(4))
        );
        assert_eq!(charge(flow("bulk", 1.0), &[], &[]).sent_packets, None);
    }
}
