//! Figure 9: whether drops hit the sources that send much, by Jain's index of the sources' drops
//! per packet.

use results::ReproductionRow;

use super::experiment::Seen;
use super::point::{Point, RTTS};
use super::queues::{CODEL, PAPERS, RED, TAIL_DROP};
use super::spread::{Boxes, Measure, Runs};
use super::{Claim, Found, rtt};
use crate::judge::Place;

pub(super) fn claim() -> Claim {
    Claim { experiments: rtt::points().iter().map(Point::experiment).collect(), judge }
}

fn judge(seen: &[Option<&Seen>]) -> Found {
    let points = rtt::points();
    let runs = Runs::new(&points, seen);
    if runs.is_empty() {
        return Found::default();
    }
    let rows = RTTS.into_iter().flat_map(|rtt_ms| round_trip(runs, rtt_ms)).collect();
    Found { rows, figures: boxes().draw(runs, &[Measure::Fairness]) }
}

fn round_trip(runs: Runs<'_>, rtt_ms: u64) -> Vec<ReproductionRow> {
    let name = format!("{rtt_ms} ms");
    let place = Place { table: "Figure 9, fairness of drops", row: &name };
    let [codel, red, tail] = [CODEL, RED, TAIL_DROP].map(|queue| {
        // A single source has all the drops.
        runs.middle(Measure::Fairness, |point| {
            let several = point.load.sources() > 1;
            several && point.rtt_ms == rtt_ms && point.queue.name == queue.name
        })
    });
    let over = || Some(red? / codel?);
    vec![
        place.figure("CoDel: Jain's index", "", None, codel).beyond(),
        place.figure("RED: Jain's index", "", None, red).beyond(),
        place.figure("tail drop: Jain's index", "", None, tail).beyond(),
        place
            .figure("RED's over CoDel's", "", 1.0, over())
            .below("\"CoDel consistently outperforms RED for this metric\""),
    ]
}

fn boxes() -> Boxes<'static> {
    Boxes {
        id: "codel-9",
        title: "Fairness of drops",
        explanation: "Jain's index of the sources' drops per packet sent, one value a run with \
                      several sources. At 1 each source loses the same share of its packets.",
        by: ("Round trip", |point| point.rtt_ms),
        places: RTTS.iter().map(|rtt| (*rtt, format!("{rtt} ms"))).collect(),
        queues: PAPERS.to_vec(),
        wanted: |point| point.load.sources() > 1,
    }
}
