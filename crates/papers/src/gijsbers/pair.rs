//! Experiment 3: a light flow, 200 KB every 10 s, beside a bulk flow.

use results::ReproductionRow;

use super::paper::{Pair, TABLE_3};
use super::run::{EXPERIMENT_3, Measured, Run};
use super::{PaperTable, complete, figures};
use crate::judge::{Place, differs};
use crate::tolerance::FigureKind;

/// The reason why the light flow's goodput differs from the paper's.
const LIGHT: &str = "a batch takes 8 or 9 round trips of slow start and then repairs what that \
                     overshot, a loss a round trip; the paper's lost less in buffers of middle size";

/// Table 3: buffers from 10 to 500 frames.
pub(super) fn table_3() -> PaperTable {
    let run = |row: &Pair| Run::of(EXPERIMENT_3).buffer(row.buffer);
    PaperTable { runs: TABLE_3.iter().map(run).collect(), judge, draw: figures::table_3 }
}

fn judge(ours: &[Option<Measured>]) -> Vec<ReproductionRow> {
    let table = "Table 3";
    let mut rows = Vec::new();
    let light = |run: Option<&Option<Measured>>| run?.as_ref()?.light;
    let first = light(ours.first());
    for (paper, ours) in complete(&TABLE_3, ours) {
        let name = format!("buffer {} frames", paper.buffer);
        let place = Place { table, row: &name };
        let change = first.zip(ours.light).map(|(first, now)| (now / first - 1.0) * 100.0);
        rows.extend([
            place
                .figure("goodput, bulk", "B/s", paper.bulk, ours.bulk)
                .within(FigureKind::Approximate, || differs("it takes what the light flow leaves")),
            place
                .figure("goodput, light", "B/s", paper.light, ours.light)
                .within(FigureKind::Approximate, || differs(LIGHT)),
        ]);
        // The other rows' changes are relative to the first row.
        if change.is_some() && paper.buffer > TABLE_3[0].buffer {
            let change = place.figure("change, light", "%", paper.change, change);
            rows.push(change.within(FigureKind::Effect, || differs(LIGHT)));
        }
    }
    rows
}
