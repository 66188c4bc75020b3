//! The several thousand runs: all bandwidths, delays and loads, and both congestion controls.

mod figures;

use results::ReproductionRow;
use stats::{ascending, quantile};

use super::experiment::Seen;
use super::load::LOADS;
use super::point::{self, Point};
use super::queues::{CODEL, PAPERS};
use super::spread::{Boxes, Measure, Runs, rate};
use super::{Claim, Found};
use crate::judge::Place;
use crate::tolerance::FigureKind;

/// Bandwidths, kbit/s.
const RATES: [u64; 10] = [64, 128, 256, 512, 1_000, 1_500, 3_000, 10_000, 45_000, 100_000];
/// Round trips in ms: 5 ms to 1 s each way.
const RTTS: [u64; 7] = [10, 30, 100, 200, 500, 1_000, 2_000];

pub(super) fn claim() -> Claim {
    Claim { experiments: points().iter().map(Point::experiment).collect(), judge }
}

fn points() -> Vec<Point> {
    let cubic = point::product(&RATES, &RTTS, 1500, &LOADS, &PAPERS);
    let reno = cubic.iter().filter(|point| point.load.ftps > 0);
    let reno: Vec<Point> = reno.map(|point| Point { congestion: "reno", ..*point }).collect();
    let mut points = cubic;
    points.extend(reno);
    points
}

fn judge(seen: &[Option<&Seen>]) -> Found {
    let points = points();
    let runs = Runs::new(&points, seen);
    if runs.is_empty() {
        return Found::default();
    }
    let mut rows: Vec<ReproductionRow> =
        PAPERS.iter().flat_map(|queue| overall(runs, queue.name)).collect();
    rows.extend(similar(runs));
    rows.extend(RTTS.into_iter().flat_map(|rtt_ms| one_setting(runs, rtt_ms)));
    let mut figures = by_rate().draw(runs, &[Measure::Delay, Measure::Utilisation]);
    figures.extend(figures::draw(runs));
    Found { rows, figures }
}

const TABLE: &str = "The grid";

fn overall(runs: Runs<'_>, queue: &'static str) -> Vec<ReproductionRow> {
    let place = Place { table: TABLE, row: queue };
    let wanted = |point: &Point| point.queue.name == queue;
    let of = |measure, share| quantile(&ascending(runs.all_values(measure, wanted)?), share);
    let rows = [
        ("median of median delays", "ms", of(Measure::Delay, 0.5)),
        ("1 run in 20 is above", "ms", of(Measure::Delay, 0.95)),
        ("median utilisation", "", of(Measure::Utilisation, 0.5)),
        ("1 run in 20 is below", "", of(Measure::Utilisation, 0.05)),
    ];
    rows.map(|(metric, unit, ours)| place.figure(metric, unit, None, ours).beyond()).into()
}

/// The rows on "results were similar with New Reno but with slightly lower utilizations, as
/// expected".
fn similar(runs: Runs<'_>) -> Vec<ReproductionRow> {
    let middle = |measure, congestion: &str| {
        runs.middle(measure, |point| {
            point.load.ftps > 0 && point.queue.name == CODEL.name && point.congestion == congestion
        })
    };
    let ratio = |measure| Some(middle(measure, "reno")? / middle(measure, "cubic")?);
    let place = Place { table: TABLE, row: "CoDel, NewReno over CUBIC" };
    vec![
        place
            .figure("median delay", "", 1.0, ratio(Measure::Delay))
            .noted(FigureKind::Similar, "\"similar\""),
        place
            .figure("utilisation", "", 1.0, ratio(Measure::Utilisation))
            .below("\"slightly lower utilizations, as expected\""),
    ]
}

/// The rows on "a setting of 100 ms works well across a range of RTTs from 10 ms to 1 second
/// (excellent performance is achieved in the range from 10 ms to 300 ms)".
fn one_setting(runs: Runs<'_>, rtt_ms: u64) -> Vec<ReproductionRow> {
    let name = format!("CoDel, round trip {rtt_ms} ms");
    let place = Place { table: TABLE, row: &name };
    let wanted = |point: &Point| point.rtt_ms == rtt_ms && point.queue.name == CODEL.name;
    [("median delay", "ms", Measure::Delay), ("utilisation", "", Measure::Utilisation)]
        .map(|(metric, unit, measure)| {
            place.figure(metric, unit, None, runs.middle(measure, wanted)).beyond()
        })
        .into()
}

fn by_rate() -> Boxes<'static> {
    Boxes {
        id: "codel-grid",
        title: "The grid",
        explanation: "Nine loads, seven round trips from 10 ms to 2 s, CUBIC and NewReno at each rate.",
        by: ("Rate", |point| point.kbit),
        places: RATES.iter().map(|kbit| (*kbit, rate(*kbit))).collect(),
        queues: PAPERS.to_vec(),
        wanted: |_| true,
    }
}
