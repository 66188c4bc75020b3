//! "Performance simulation of buffer bloat in routers" (Gijsbers and Akkoorath): what the buffer
//! of one router does to TCP, in five experiments with OMNeT++.
//!
//! `paper` is what the paper says, `wire` what its wires allow, `run` what we simulate, `watch`
//! how its simulator looked at packets, `judge` and `shape` how figures compare; `bulk`, `pair` and
//! `windows` put them together, table by table.

mod bulk;
mod judge;
mod pair;
mod paper;
mod run;
mod shape;
mod watch;
mod windows;
mod wire;

use results::Reproduction;

use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::interrupt;
use run::{Measured, Run};

/// In one line, for the list of papers.
pub(super) const TITLE: &str = paper::TITLE;

/// Repeats the five experiments.
pub(super) fn reproduce(args: &ReproduceArgs) -> Result<Reproduction, Failure> {
    interrupt::watch()?;
    let tables = [
        bulk::table_1(),
        bulk::table_2(),
        bulk::experiment_2(),
        pair::table_3(),
        windows::table_4(),
        windows::table_5(),
    ];
    let lengths = tables.each_ref().map(|table| table.runs.len());
    let (runs, judges): (Vec<_>, Vec<_>) =
        tables.into_iter().map(|Table { runs, judge }| (runs, judge)).unzip();
    let runs: Vec<Run> = runs.into_iter().flatten().collect();
    let measured = run::measure(&runs, args.volume.quiet)?;
    let mut rest = &measured[..];
    let mut rows = Vec::new();
    for (judge, length) in judges.into_iter().zip(lengths) {
        let (own, others) = rest.split_at(length);
        rows.extend(judge(own));
        rest = others;
    }
    Ok(Reproduction::new(paper::TITLE, rows))
}

/// A table of the paper: what is to be run for it, one run a row, and what is made of that.
struct Table {
    runs: Vec<Run>,
    judge: fn(&[Measured]) -> Vec<results::ReproductionRow>,
}
