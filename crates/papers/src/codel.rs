//! "Controlling Queue Delay" (Nichols and Jacobson, 2012): the article's simulations repeated, and
//! the same with every queue of this project.
//!
//! `paper` has the article's numbers, `experiment` one run and what is kept of it, `queues` the
//! queues, `load` the loads, `point` one of the many runs, `spread` statistics over many runs,
//! `draw` helpers for figures. Each part has its module: `concept` (figures 1 to 4), `bandwidth` (5
//! and 6), `dynamic` (7), `rtt` (8), `fairness` (9), `edge` (the table), `hidden` (10), `target`
//! (why the target is 5 ms), `grid` (all the runs together).

mod bandwidth;
mod concept;
mod draw;
mod dynamic;
mod edge;
mod experiment;
mod fairness;
mod grid;
mod hidden;
mod load;
mod paper;
mod point;
mod queues;
mod rtt;
mod spread;
mod target;

use std::collections::BTreeMap;

use report::Figure;
use results::ReproductionRow;

use crate::error::Error;
use crate::repeated::Repeated;
use crate::request::Request;
use crate::run::{Runner, measure};
use crate::tolerance::reproduction;
use experiment::{Experiment, Seen};

/// The title in one line, for the list of papers.
pub(crate) const TITLE: &str = paper::TITLE;

/// The parts, in the order in which they are shown.
pub(crate) const PARTS: &[&str] =
    &["concept", "bandwidth", "dynamic", "rtt", "fairness", "edge", "hidden", "target", "grid"];

/// Repeats these parts of the article, or all. After an interrupt the result covers the parts whose
/// runs are complete.
pub(crate) fn repeat(request: &Request<'_>, runner: &dyn Runner) -> Result<Repeated, Error> {
    let asked = |part: &&&str| request.asks_for(part);
    let claims: Vec<Claim> = PARTS.iter().filter(asked).map(|part| claim(part)).collect();
    let (experiments, places) = distinct(&claims);
    let seen = measure(&experiments, runner, |run, go_on| run.see(go_on))?;
    let (mut rows, mut figures) = (Vec::new(), Vec::new());
    for (claim, places) in claims.iter().zip(places) {
        let own: Vec<Option<&Seen>> = places.iter().map(|place| seen[*place].as_ref()).collect();
        let found = (claim.judge)(&own);
        rows.extend(found.rows);
        figures.extend(found.figures);
    }
    Ok(Repeated::reproduction(&reproduction(paper::TITLE, rows), figures))
}

fn claim(part: &str) -> Claim {
    match part {
        "concept" => concept::claim(),
        "bandwidth" => bandwidth::claim(),
        "dynamic" => dynamic::claim(),
        "rtt" => rtt::claim(),
        "fairness" => fairness::claim(),
        "edge" => edge::claim(),
        "hidden" => hidden::claim(),
        "target" => target::claim(),
        _ => grid::claim(),
    }
}

/// A part of the article: its experiments, and the function that judges them.
struct Claim {
    experiments: Vec<Experiment>,
    judge: fn(&[Option<&Seen>]) -> Found,
}

/// The result of a part.
#[derive(Default)]
struct Found {
    rows: Vec<ReproductionRow>,
    figures: Vec<Figure>,
}

/// The distinct experiments of all parts, and for each part the indices of its own.
fn distinct(claims: &[Claim]) -> (Vec<Experiment>, Vec<Vec<usize>>) {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut experiments = Vec::new();
    let mut place = |experiment: &Experiment| {
        *known.entry(experiment.key()).or_insert_with(|| {
            experiments.push(experiment.clone());
            experiments.len() - 1
        })
    };
    let places =
        claims.iter().map(|claim| claim.experiments.iter().map(&mut place).collect()).collect();
    (experiments, places)
}

#[cfg(test)]
mod tests {
    use results::ReproductionVerdict;

    use super::*;

    /// A run that was not done gives no rows.
    #[test]
    fn a_row_needs_its_runs() {
        for part in PARTS {
            let Claim { experiments, judge } = claim(part);
            let found = judge(&vec![None; experiments.len()]);
            assert!(found.rows.is_empty() && found.figures.is_empty(), "{part}");
            // Empty results must neither agree nor panic.
            let nothing = Seen::default();
            let found = judge(&vec![Some(&nothing); experiments.len()]);
            assert!(found.rows.iter().all(is_silent), "{:?}", found.rows);
        }
    }

    /// With one run missing, each row is as with all runs, or absent: some of the runs are not
    /// judged as if they were all.
    #[test]
    fn without_a_run_nothing_else_is_said() {
        for part in PARTS {
            let Claim { experiments, judge } = claim(part);
            let seen: Vec<Seen> = (0..experiments.len()).map(unlike_others).collect();
            let complete: Vec<Option<&Seen>> = seen.iter().map(Some).collect();
            let whole = judge(&complete).rows;
            for missing in (0..seen.len()).step_by(seen.len().div_ceil(8)) {
                let mut seen = complete.clone();
                seen[missing] = None;
                let rows = judge(&seen).rows;
                for row in rows.iter().filter(|row| !is_silent(row)) {
                    assert!(whole.contains(row), "{part} without run {missing}: {row:?}");
                }
            }
        }
    }

    fn is_silent(row: &ReproductionRow) -> bool {
        row.ours.is_none() && row.verdict == ReproductionVerdict::Unjudged
    }

    /// A run whose figures no other run has.
    fn unlike_others(index: usize) -> Seen {
        let figure = 1.0 + index as f64;
        let mut seen = Seen::default();
        for way in [&mut seen.forward, &mut seen.reverse] {
            way.sojourn_ms.p50 = Some(figure * figure);
            way.utilisation = Some(1.0 - 0.1 / figure);
            way.jain_drops = Some(1.0 / figure);
            way.delivered_packets = 1000;
            way.delivered_bytes = 1500 * (index as u64 + 1);
            way.drops.full = index as u64;
        }
        seen
    }

    /// An experiment that several parts use is run once.
    #[test]
    fn parts_share_their_runs() {
        let claims: Vec<Claim> = PARTS.iter().map(|part| claim(part)).collect();
        let (experiments, places) = distinct(&claims);
        let asked: usize = claims.iter().map(|claim| claim.experiments.len()).sum();
        assert!(asked > experiments.len(), "{asked} are {}", experiments.len());
        for (claim, places) in claims.iter().zip(places) {
            for (experiment, place) in claim.experiments.iter().zip(places) {
                assert_eq!(experiment.key(), experiments[place].key());
            }
        }
    }
}
