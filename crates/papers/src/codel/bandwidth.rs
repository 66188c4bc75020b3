//! Figures 5 and 6: links of constant rate, from 128 kbit/s to 100 Mbit/s.

use results::ReproductionRow;

use super::experiment::Seen;
use super::load::{FEW, WEB_ALONE};
use super::point::{self, FEW_RTTS, LARGER, Point, SMALLER, SMALLER_RTTS};
use super::queues::{self, BLUE, CODEL, PAPERS, Queue, RED, TAIL_DROP};
use super::spread::{Boxes, Measure, Runs, rate};
use super::{Claim, Found, paper};
use crate::judge::Place;
use crate::tolerance::FigureKind;

pub(super) fn claim() -> Claim {
    Claim { experiments: points().iter().map(Point::experiment).collect(), judge }
}

fn points() -> Vec<Point> {
    let mut points = point::larger();
    points.extend(point::smaller());
    points
}

fn judge(seen: &[Option<&Seen>]) -> Found {
    let points = points();
    let runs = Runs::new(&points, seen);
    if runs.is_empty() {
        return Found::default();
    }
    let mut rows: Vec<ReproductionRow> = Vec::new();
    rows.extend(LARGER.into_iter().flat_map(|kbit| larger(runs, kbit)));
    rows.extend(SMALLER.into_iter().flat_map(|kbit| smaller(runs, kbit)));
    rows.extend(web(runs));
    rows.extend(BEYOND.iter().flat_map(|among| badly(runs, among)));
    for among in BEYOND {
        rows.extend(queues::all().flat_map(|queue| beyond(runs, &among, queue.name)));
    }
    let figures = [figure_5(), figure_6(), all_queues()]
        .iter()
        .flat_map(|boxes| boxes.draw(runs, &[Measure::Delay, Measure::Utilisation]))
        .collect();
    Found { rows, figures }
}

/// The rows of figure 5 for one rate.
fn larger(runs: Runs<'_>, kbit: u64) -> Vec<ReproductionRow> {
    let name = rate(kbit);
    let place = Place { table: "Figure 5, larger bandwidths", row: &name };
    let of =
        |queue: &'static str| move |point: &Point| point.kbit == kbit && point.queue.name == queue;
    let ftps = |point: &Point| of(CODEL.name)(point) && point.load.ftps_alone();
    let [codel, red, tail] = [CODEL, RED, TAIL_DROP].map(|queue| {
        [Measure::Delay, Measure::Utilisation].map(|measure| runs.middle(measure, of(queue.name)))
    });
    let ratio = |measure: usize| Some(red[measure]? / codel[measure]?);
    // "Similar for 3 Mbps links, but smaller for 10 Mbps and above."
    let similar = |metric, ours: Option<f64>| match kbit {
        3_000 => place.figure(metric, "", 1.0, ours).noted(FigureKind::Similar, RED_SIMILAR),
        _ => place.figure(metric, "", 1.0, ours).below(RED_SMALLER),
    };
    vec![
        place
            .figure(
                "CoDel, several FTPs: delay",
                "ms",
                paper::TARGET_MS,
                runs.middle(Measure::Delay, ftps),
            )
            .noted(FigureKind::About, TARGET),
        place.figure("CoDel: delay", "ms", None, codel[0]).beyond(),
        place.figure("CoDel: utilisation", "", None, codel[1]).beyond(),
        similar("RED's delay over CoDel's", ratio(0)),
        similar("RED's utilisation over CoDel's", ratio(1)),
        place.figure("tail drop: delay", "ms", None, tail[0]).beyond(),
        place.figure("tail drop: utilisation", "", None, tail[1]).beyond(),
    ]
}

const TARGET: &str = "\"should approach this target\"; the more transfers share a slow link, the \
                      smaller is each one's window, and the less a drop takes from the queue";
const RED_SIMILAR: &str = "the paper says \"similar\", without a number";
const RED_SMALLER: &str = "the paper says \"smaller\", without a number";

/// The rows of figure 6 for one rate.
fn smaller(runs: Runs<'_>, kbit: u64) -> Vec<ReproductionRow> {
    let name = rate(kbit);
    let place = Place { table: "Figure 6, smaller bandwidths", row: &name };
    let middle = |measure, queue: &str, mtu| {
        let wanted =
            |point: &Point| point.kbit == kbit && point.mtu == mtu && point.queue.name == queue;
        runs.middle(measure, wanted)
    };
    let delay = |queue, mtu| middle(Measure::Delay, queue, mtu);
    let ratio = || Some(delay(CODEL.name, 1500)? / delay(CODEL.name, 500)?);
    let [least, most] = paper::RED_LOW_MS;
    vec![
        place.figure("CoDel, MTU 1500: delay", "ms", None, delay(CODEL.name, 1500)).beyond(),
        place.figure("CoDel, MTU 500: delay", "ms", None, delay(CODEL.name, 500)).beyond(),
        place
            .figure("MTU 1500 over MTU 500", "", 1.0, ratio())
            .above("\"the larger MTU increases delays\""),
        place
            .figure(
                "CoDel, MTU 1500: utilisation",
                "",
                None,
                middle(Measure::Utilisation, CODEL.name, 1500),
            )
            .beyond(),
        place.figure("RED, MTU 1500: delay", "ms", least, delay(RED.name, 1500)).above(RED_LOW),
        place.figure("RED, MTU 500: delay", "ms", most, delay(RED.name, 500)).below(RED_LOW),
        place.figure("tail drop: delay", "ms", None, delay(TAIL_DROP.name, 1500)).beyond(),
    ]
}

const RED_LOW: &str = "\"excessive (100 ms-200 ms)\" for the smaller set as a whole";

/// The web alone, over all rates: above 60 % utilisation, more than 10 % of packets are dropped.
fn web(runs: Runs<'_>) -> Option<ReproductionRow> {
    let alone = |point: &Point| point.load.name == WEB_ALONE.name && point.queue.name == CODEL.name;
    let busy = runs.all(alone)?.into_iter().filter(|(_, seen)| {
        seen.forward.utilisation.is_some_and(|used| used > paper::WEB_UTILISATION)
    });
    let share = busy.filter_map(|(_, seen)| seen.drop_share()).reduce(f64::min)?;
    let place = Place { table: "Figures 5 and 6, the web alone", row: "above 60 % of the link" };
    Some(place.figure("fewest drops, CoDel", "", paper::WEB_DROPS, share).above(WEB))
}

const WEB: &str = "\"more than 10%\". So it is below 1.5 Mbit/s; faster links carry many connections \
                   at once, which lose less";

/// A set of runs that all queues have: the table's name, the rates in kbit/s and the round trips in
/// ms.
type Among = (&'static str, [u64; 4], &'static [u64]);

const BEYOND: [Among; 2] = [
    ("Beyond: each queue, 3 Mbit/s and more", LARGER, &FEW_RTTS),
    ("Beyond: each queue, 1.5 Mbit/s and less", SMALLER, &SMALLER_RTTS),
];

/// The row on BLUE, whose "default settings performed badly": lower utilisation or longer delay
/// than CoDel's.
fn badly(runs: Runs<'_>, among: &Among) -> [ReproductionRow; 2] {
    let middle =
        |measure, queue: Queue| runs.middle(measure, |point| is_of(point, among, queue.name));
    let ratio = |measure| Some(middle(measure, BLUE)? / middle(measure, CODEL)?);
    let row = if among.1 == LARGER { "3 Mbit/s and more" } else { "1.5 Mbit/s and less" };
    let place = Place { table: "BLUE with its defaults", row };
    [
        place
            .figure("utilisation over CoDel's", "", 1.0, ratio(Measure::Utilisation))
            .below("\"performed badly\", without a number: less use ..."),
        place
            .figure("delay over CoDel's", "", 1.0, ratio(Measure::Delay))
            .above("... and longer delay than CoDel's"),
    ]
}

/// True if the run has this queue and belongs to the runs that all queues have.
fn is_of(point: &Point, (_, rates, rtts): &Among, queue: &str) -> bool {
    let few = FEW.iter().any(|load| load.name == point.load.name) && point.mtu == 1500;
    let path = rates.contains(&point.kbit) && rtts.contains(&point.rtt_ms);
    few && path && point.queue.name == queue
}

/// The rows of one queue that go beyond the article.
fn beyond(runs: Runs<'_>, among: &Among, queue: &'static str) -> [ReproductionRow; 3] {
    let place = Place { table: among.0, row: queue };
    let wanted = |point: &Point| is_of(point, among, queue);
    [
        ("median delay", "ms", Measure::Delay),
        ("utilisation", "", Measure::Utilisation),
        ("Jain's index of drops", "", Measure::Fairness),
    ]
    .map(|(metric, unit, measure)| {
        place.figure(metric, unit, None, runs.middle(measure, wanted)).beyond()
    })
}

fn places(rates: &[u64]) -> Vec<(u64, String)> {
    rates.iter().map(|kbit| (*kbit, rate(*kbit))).collect()
}

fn figure_5() -> Boxes<'static> {
    Boxes {
        id: "codel-5",
        title: "Larger bandwidths",
        explanation: "Nine loads and five round trips from 10 to 500 ms at each rate; a box holds \
                      the middle half of the runs.",
        by: ("Rate", |point| point.kbit),
        places: places(&LARGER),
        queues: PAPERS.to_vec(),
        wanted: |point| point.mtu == 1500,
    }
}

fn figure_6() -> Boxes<'static> {
    Boxes {
        id: "codel-6",
        title: "Smaller bandwidths",
        explanation: "The same loads, with round trips of 30 and 100 ms and packets of up to 1500 \
                      bytes. One such packet takes 94 ms at 128 kbit/s.",
        by: ("Rate", |point| point.kbit),
        places: places(&SMALLER),
        queues: PAPERS.to_vec(),
        wanted: |point| point.mtu == 1500,
    }
}

/// Figures 5 and 6 with every queue.
fn all_queues() -> Boxes<'static> {
    Boxes {
        id: "codel-queues",
        title: "Every queue",
        explanation: "Three of the loads, at round trips of 10, 100 and 500 ms from 3 Mbit/s on and \
                      of 30 and 100 ms below. Low delay with high utilisation is good.",
        by: ("Rate", |point| point.kbit),
        places: places(&[128, 512, 1_500, 10_000, 100_000]),
        queues: queues::all().collect(),
        wanted: |point| {
            let rtts = if point.kbit < 3_000 { &SMALLER_RTTS[..] } else { &FEW_RTTS[..] };
            let few = FEW.iter().any(|load| load.name == point.load.name);
            few && point.mtu == 1500 && rtts.contains(&point.rtt_ms)
        },
    }
}
