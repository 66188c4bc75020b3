//! Experiment 3: a light flow, 200 KB every 10 s, beside a bulk flow.

use results::ReproductionRow;

use super::paper::{Pair, TABLE_3};
use super::run::{EXPERIMENT_3, Run};
use super::{Outcome, Table, complete, figures};
use crate::reproduce::judge::{Place, agrees, differs};

/// The paper says too little about this experiment for more than its shape.
const SHAPE: f64 = 0.1;
/// So many points of a percentage.
const POINTS: f64 = 10.0;

/// Why the light flow's goodput is not the paper's.
const LIGHT: &str = "a batch takes 8 or 9 round trips of slow start and then repairs what that \
                     overshot, a loss a round trip; the paper's lost less in buffers of middle size";

/// Buffers from 10 to 500 frames.
pub(super) fn table_3() -> Table {
    let run = |row: &Pair| Run::of(EXPERIMENT_3).buffer(row.buffer);
    Table { runs: TABLE_3.iter().map(run).collect(), judge, draw: figures::table_3 }
}

fn judge(ours: &[Outcome]) -> Vec<ReproductionRow> {
    let table = "Table 3";
    let mut rows = Vec::new();
    let light = |run: Option<&Outcome>| run?.as_ref()?.light;
    let first = light(ours.first());
    for (paper, ours) in complete(&TABLE_3, ours) {
        let name = format!("buffer {} frames", paper.buffer);
        let place = Place { table, row: &name };
        let change = first.zip(ours.light).map(|(first, now)| (now / first - 1.0) * 100.0);
        let near = change.is_some_and(|change| (change - paper.change).abs() <= POINTS);
        rows.extend([
            place
                .figure("goodput, bulk", "B/s", paper.bulk, ours.bulk)
                .within(SHAPE, || differs("it takes what the light flow leaves")),
            place
                .figure("goodput, light", "B/s", paper.light, ours.light)
                .within(SHAPE, || differs(LIGHT)),
        ]);
        if change.is_some() {
            rows.push(place.figure("change, light", "%", paper.change, change).with(if near {
                agrees(None)
            } else {
                differs(LIGHT)
            }));
        }
    }
    let left = |first: Option<f64>, last: Option<f64>| Some(last? / first?);
    let paper = left(TABLE_3.first().map(|row| row.light), TABLE_3.last().map(|row| row.light));
    if let Some(ours) = left(first, light(ours.last())) {
        let starved = Place { table, row: "shape" };
        let starved = starved.figure("light, 500 frames / 10", "", paper, ours);
        rows.push(starved.within(SHAPE, || differs(LIGHT)));
    }
    rows
}
