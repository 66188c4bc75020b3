//! Why the target is 5 ms: a lower target costs utilisation on some links, and a higher one gains
//! little.

use report::{Axis, Figure, Mark};
use results::ReproductionRow;
use stats::{ascending, median};

use super::draw::curve;
use super::experiment::Seen;
use super::load::FEW;
use super::point::{self, FEW_RTTS, Point};
use super::queues::{CODEL, Path, Queue};
use super::spread::{Measure, Runs};
use super::{Claim, Found};
use crate::judge::Place;
use crate::tolerance::FigureKind;

/// The rates, in kbit/s, of links on which a packet takes less than the target, so that the target
/// decides.
const RATES: [u64; 2] = [3_000, 10_000];

/// A target in milliseconds, and CoDel with it.
type Target = (f64, Queue);

/// Targets below 5 ms.
const BELOW: [Target; 3] = [
    (0.5, Queue { name: "target 0.5 ms", on: |path| with("500us", path) }),
    (1.0, Queue { name: "target 1 ms", on: |path| with("1ms", path) }),
    (2.0, Queue { name: "target 2 ms", on: |path| with("2ms", path) }),
];
/// Targets above 5 ms.
const ABOVE: [Target; 2] = [
    (10.0, Queue { name: "target 10 ms", on: |path| with("10ms", path) }),
    (20.0, Queue { name: "target 20 ms", on: |path| with("20ms", path) }),
];

/// The article's CoDel with this target.
fn with(target: &str, path: Path) -> String {
    format!("{} target {target}", (CODEL.on)(path))
}

pub(super) fn claim() -> Claim {
    Claim { experiments: points().iter().map(Point::experiment).collect(), judge }
}

fn points() -> Vec<Point> {
    let queues = targets().map(|(_, queue)| queue).collect::<Vec<_>>();
    point::product(&RATES, &FEW_RTTS, 1500, &FEW, &queues)
}

/// All targets, in ascending order.
fn targets() -> impl Iterator<Item = Target> {
    BELOW.into_iter().chain([(5.0, CODEL)]).chain(ABOVE)
}

fn judge(seen: &[Option<&Seen>]) -> Found {
    let points = points();
    let runs = Runs::new(&points, seen);
    if runs.is_empty() {
        return Found::default();
    }
    let mut rows: Vec<ReproductionRow> =
        BELOW.into_iter().map(|(_, queue)| suffers(runs, queue.name)).collect();
    rows.extend(ABOVE.into_iter().map(|(_, queue)| hardly_better(runs, queue.name)));
    rows.extend(targets().flat_map(|(_, queue)| beyond(runs, queue.name)));
    Found { rows, figures: vec![figure(runs)] }
}

const TABLE: &str = "The target, 3 and 10 Mbit/s";

/// The utilisation of each condition over that with 5 ms; empty unless all runs with either target
/// are complete.
fn ratios(runs: Runs<'_>, queue: &str) -> Vec<f64> {
    let condition = |point: &Point| (point.kbit, point.rtt_ms, point.load.name);
    let used = |queue: &str, at: (u64, u64, &str)| {
        let wanted = |point: &Point| point.queue.name == queue && condition(point) == at;
        runs.middle(Measure::Utilisation, wanted)
    };
    let either = |point: &Point| [CODEL.name, queue].contains(&point.queue.name);
    let both = runs.all(either).unwrap_or_default().into_iter();
    let with_five = both.filter(|(point, _)| point.queue.name == CODEL.name);
    let ratio = |(point, _): (&Point, _)| {
        Some(used(queue, condition(point))? / used(CODEL.name, condition(point))?)
    };
    with_five.filter_map(ratio).collect()
}

/// The row on "below a target of 5ms, utilization suffers for some conditions and traffic loads".
fn suffers(runs: Runs<'_>, queue: &str) -> ReproductionRow {
    let worst = ratios(runs, queue).into_iter().reduce(f64::min);
    let holds = worst.is_some_and(|worst| !FigureKind::Close.near(1.0, worst) && worst < 1.0);
    Place { table: TABLE, row: queue }
        .figure("use over that at 5 ms, worst", "", None, worst)
        .in_words(
            holds,
            "\"utilization suffers for some conditions\": by more than \"very close\" is; at these \
             rates the packet below which CoDel drops nothing takes 1 to 4 ms itself",
        )
}

/// The row on "above 5ms there is very little or no improvement in utilization".
fn hardly_better(runs: Runs<'_>, queue: &str) -> ReproductionRow {
    let middle = median(&ascending(ratios(runs, queue)));
    Place { table: TABLE, row: queue }
        .figure("use over that at 5 ms, median", "", 1.0, middle)
        .noted(FigureKind::Close, "\"very little or no improvement\"")
}

fn beyond(runs: Runs<'_>, queue: &str) -> [ReproductionRow; 2] {
    let place = Place { table: TABLE, row: queue };
    let wanted = |point: &Point| point.queue.name == queue;
    [("median delay", "ms", Measure::Delay), ("utilisation", "", Measure::Utilisation)].map(
        |(metric, unit, measure)| {
            place.figure(metric, unit, None, runs.middle(measure, wanted)).beyond()
        },
    )
}

fn figure(runs: Runs<'_>) -> Figure {
    let at = |of: fn(Vec<f64>) -> Option<f64>| {
        targets().map(move |(target, queue)| (target, of(ratios(runs, queue.name))))
    };
    let worst = |ratios: Vec<f64>| ratios.into_iter().reduce(f64::min);
    Figure {
        id: "codel-target".into(),
        title: "CoDel's target, and how well links are used".into(),
        explanation: "The utilisation over that with a target of 5 ms, in 18 conditions: two \
                      rates, three round trips, three loads. The article finds that a lower target costs \
                      utilisation in some conditions, and that a higher one brings little."
            .into(),
        x: Axis::log("Target", "ms"),
        y: Axis::linear("Utilisation over that with 5 ms", ""),
        curves: vec![
            curve("median condition", Mark::LinePoints, at(|ratios| median(&ascending(ratios)))),
            curve("worst condition", Mark::LinePoints, at(worst)),
        ],
    }
}
