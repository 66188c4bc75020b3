//! "Performance simulation of buffer bloat in routers" (Gijsbers and Akkoorath): the effect of one
//! router's buffer on TCP, in five experiments with OMNeT++.
//!
//! `paper` has the paper's numbers, `wire` the limits of its wires, `run` our runs, `watch` the
//! observation of packets as in the paper's simulator, `shape` the comparison of whole tables.
//! `bulk`, `pair` and `windows` combine these, table by table, and `figures` draws them.

mod bulk;
mod figures;
mod pair;
mod paper;
mod run;
mod shape;
mod throughput;
mod watch;
mod windows;
mod wire;

use crate::error::Error;
use crate::repeated::Repeated;
use crate::request::Request;
use crate::run::{Runner, measure};
use crate::tolerance::reproduction;
use run::{Measured, Run};

/// The title in one line, for the list of papers.
pub(crate) const TITLE: &str = paper::TITLE;

/// Repeats the five experiments. After an interrupt the result has the rows whose runs are
/// complete.
pub(crate) fn repeat(_: &Request<'_>, runner: &dyn Runner) -> Result<Repeated, Error> {
    let tables = [
        bulk::table_1(),
        bulk::table_2(),
        bulk::experiment_2(),
        pair::table_3(),
        windows::table_4(),
        windows::table_5(),
    ];
    let lengths = tables.each_ref().map(|table| table.runs.len());
    let (runs, makers): (Vec<_>, Vec<_>) =
        tables.into_iter().map(|PaperTable { runs, judge, draw }| (runs, (judge, draw))).unzip();
    let runs: Vec<Run> = runs.into_iter().flatten().collect();
    let measured = measure(&runs, runner, Run::measure)?;
    let mut rest = &measured[..];
    let (mut rows, mut figures) = (Vec::new(), Vec::new());
    for ((judge, draw), length) in makers.into_iter().zip(lengths) {
        let (own, others) = rest.split_at(length);
        rows.extend(judge(own));
        figures.extend(draw(own));
        rest = others;
    }
    Ok(Repeated::reproduction(&reproduction(paper::TITLE, rows), figures))
}

/// A table of the paper: one run for each row, and the functions that judge and draw them.
struct PaperTable {
    runs: Vec<Run>,
    judge: fn(&[Option<Measured>]) -> Vec<results::ReproductionRow>,
    draw: fn(&[Option<Measured>]) -> Vec<report::Figure>,
}

/// The paper's row and our result, for each run that is complete.
fn complete<'a, P>(
    paper: &'a [P],
    ours: &'a [Option<Measured>],
) -> impl Iterator<Item = (&'a P, &'a Measured)> {
    paper.iter().zip(ours).filter_map(|(paper, ours)| Some((paper, ours.as_ref()?)))
}

/// All runs of a table; `None` unless all are complete.
fn all(ours: &[Option<Measured>]) -> Option<Vec<&Measured>> {
    ours.iter().map(Option::as_ref).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one run missing, its rows and those about its whole table are missing, and no row lacks
    /// our figure.
    #[test]
    fn a_row_needs_all_its_runs() {
        let some = Some(1.0);
        let (bulk, light, rtt, queue, ping, pings) = (some, some, some, some, some, some);
        let whole = Measured {
            bulk,
            light,
            rtt,
            drops: 1.0,
            queue,
            standing_queue: some,
            longest: some,
            ping,
            longest_ping: some,
            pings,
            ping_over_time: Some((1.0, results::Extremes::default())),
            queue_over_time: Some((1.0, results::Extremes::default())),
        };
        let tables = [
            (bulk::table_1(), [19, 12, 12], 2),
            (bulk::table_2(), [19, 12, 12], 2),
            (bulk::experiment_2(), [19, 12, 12], 4),
            // The changes are relative to the first run, which has none itself.
            (pair::table_3(), [17, 10, 14], 1),
            (windows::table_4(), [52, 46, 48], 3),
            (windows::table_5(), [32, 28, 28], 3),
        ];
        for (PaperTable { runs, judge, draw }, expected, figures) in tables {
            let all = vec![Some(whole.clone()); runs.len()];
            let (mut no_first, mut no_last) = (all.clone(), all.clone());
            no_first[0] = None;
            no_last[runs.len() - 1] = None;
            let rows = [all, no_first, no_last].map(|outcomes| judge(&outcomes));
            assert_eq!(rows.each_ref().map(Vec::len), expected, "{}", rows[0][0].experiment);
            assert!(rows.iter().flatten().all(|row| row.ours.is_some()));
            let none = vec![None; runs.len()];
            assert!(judge(&none).is_empty() && draw(&none).is_empty());
            assert_eq!(draw(&vec![Some(whole.clone()); runs.len()]).len(), figures);
        }
    }
}
