//! Figure 8: one setting of CoDel over round trips from 10 to 500 ms.

use results::ReproductionRow;

use super::experiment::Seen;
use super::point::{self, LARGER, Point, RTTS};
use super::queues::{CODEL, PAPERS, RED, TAIL_DROP};
use super::spread::{Boxes, Measure, Runs};
use super::{Claim, Found, paper};
use crate::judge::Place;
use crate::tolerance::FigureKind;

pub(super) fn claim() -> Claim {
    Claim { experiments: points().iter().map(Point::experiment).collect(), judge }
}

/// The runs of figure 5 with the article's queues, here grouped by round trip.
pub(super) fn points() -> Vec<Point> {
    point::product(&LARGER, &RTTS, 1500, &super::load::LOADS, &PAPERS)
}

fn judge(seen: &[Option<&Seen>]) -> Found {
    let points = points();
    let runs = Runs::new(&points, seen);
    if runs.is_empty() {
        return Found::default();
    }
    let mut rows: Vec<ReproductionRow> =
        RTTS.into_iter().flat_map(|rtt_ms| round_trip(runs, rtt_ms)).collect();
    rows.push(alike(runs));
    Found { rows, figures: boxes().draw(runs, &[Measure::Delay, Measure::Utilisation]) }
}

const TABLE: &str = "Figure 8, round trips";

fn round_trip(runs: Runs<'_>, rtt_ms: u64) -> Vec<ReproductionRow> {
    let name = format!("{rtt_ms} ms");
    let place = Place { table: TABLE, row: &name };
    let [codel, red, tail] = [CODEL, RED, TAIL_DROP].map(|queue| {
        [Measure::Delay, Measure::Utilisation].map(|measure| {
            let wanted = |point: &Point| point.rtt_ms == rtt_ms && point.queue.name == queue.name;
            runs.middle(measure, wanted)
        })
    });
    let over = |one: [Option<f64>; 2], other: [Option<f64>; 2], measure: usize| {
        Some(one[measure]? / other[measure]?)
    };
    let close =
        place.figure("utilisation over tail drop's", "", paper::ALIKE, over(codel, tail, 1));
    vec![
        place.figure("CoDel: median delay", "ms", None, codel[0]).beyond(),
        place.figure("CoDel: utilisation", "", None, codel[1]).beyond(),
        place
            .figure("RED's utilisation over CoDel's", "", 1.0, over(red, codel, 1))
            .below("\"CoDel has higher link utilizations\""),
        match rtt_ms {
            // "Except for an RTT of 500 ms."
            500 => close.below("very close \"except for an RTT of 500 ms\""),
            _ => close.noted(FigureKind::Close, "\"very close\""),
        },
        place
            .figure("delay over tail drop's", "", None, over(codel, tail, 0))
            .much_less("\"much less delay\""),
    ]
}

/// The row on "not significantly different between 30ms and 200ms RTTs".
fn alike(runs: Runs<'_>) -> ReproductionRow {
    let delay = |rtt_ms: u64| {
        runs.middle(Measure::Delay, |point| {
            point.rtt_ms == rtt_ms && point.queue.name == CODEL.name
        })
    };
    let ratio = || Some(delay(200)? / delay(30)?);
    Place { table: TABLE, row: "200 ms against 30 ms" }
        .figure("CoDel: median delay", "", 1.0, ratio())
        .noted(FigureKind::Similar, "\"not significantly different\"")
}

fn boxes() -> Boxes<'static> {
    Boxes {
        id: "codel-8",
        title: "Round trips",
        explanation: "The runs of figure 5, sorted by their round trip. CoDel has the same setting \
                      in all of them.",
        by: ("Round trip", |point| point.rtt_ms),
        places: RTTS.iter().map(|rtt| (*rtt, format!("{rtt} ms"))).collect(),
        queues: PAPERS.to_vec(),
        wanted: |_| true,
    }
}
