//! The APNIC blog's article on CAKE: a home's cable line without and with it, as Flent draws them,
//! and what CAKE's `rtt` does to servers near and far.
//!
//! `paper` has the article's numbers, `setup` the scenarios and CAKE's settings, `seen` what is
//! kept of a run, `flent` the plots. Each part has its module: `line` (without CAKE), `cake` (with
//! it), `rtt` (its setting).

mod cake;
mod flent;
mod line;
mod paper;
mod rtt;
mod seen;
mod setup;

use report::Figure;
use results::ReproductionRow;

use crate::error::Error;
use crate::repeated::Repeated;
use crate::request::Request;
use crate::run::{Run, Runner, measure};
use crate::tolerance::reproduction;
use seen::Seen;

/// The title in one line, for the list of papers.
pub(crate) const TITLE: &str = paper::TITLE;

/// The parts, in the order in which they are shown.
pub(crate) const PARTS: &[&str] = &["line", "cake", "rtt"];

/// Repeats these parts of the article, or all. After an interrupt the result covers the claims
/// whose runs are complete.
pub(crate) fn repeat(request: &Request<'_>, runner: &dyn Runner) -> Result<Repeated, Error> {
    let asked = |part: &&&str| request.asks_for(part);
    let claims: Vec<Claim> = PARTS.iter().filter(asked).map(|part| claim(part)).collect();
    let runs: Vec<&Run> = claims.iter().flat_map(|claim| &claim.runs).collect();
    let seen = measure(&runs, runner, |run, go_on| Ok(run.simulate(None, go_on)?.map(Seen::of)))?;
    let mut rest = &seen[..];
    let mut found = Found::default();
    for Claim { runs, judge } in &claims {
        let (own, others) = rest.split_at(runs.len());
        let Found { rows, figures } = judge(own);
        found.rows.extend(rows);
        found.figures.extend(figures);
        rest = others;
    }
    // A sheet has two figures in a row: a panel without CAKE, and beside it the same with CAKE.
    found.figures.sort_by_key(|(panel, _)| *panel);
    let figures = found.figures.into_iter().map(|(_, figure)| figure).collect();
    Ok(Repeated::reproduction(&reproduction(paper::TITLE, found.rows), figures))
}

fn claim(part: &str) -> Claim {
    match part {
        "line" => line::claim(),
        "cake" => cake::claim(),
        _ => rtt::claim(),
    }
}

/// A part of the article: its runs, and the function that judges them.
struct Claim {
    runs: Vec<Run>,
    judge: fn(&[Option<Seen>]) -> Found,
}

/// The result of a part.
#[derive(Default)]
struct Found {
    rows: Vec<ReproductionRow>,
    figures: Vec<(Panel, Figure)>,
}

/// The places of figures, in the order of a sheet: Flent's picture of a test has three rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Panel {
    Downloads,
    Uploads,
    Pings,
    Summary,
}

#[cfg(test)]
mod tests {
    use results::ReproductionVerdict;

    use super::*;

    /// A run that was not done gives no rows, and an empty one no verdicts.
    #[test]
    fn a_row_needs_its_runs() {
        for part in PARTS {
            let Claim { runs, judge } = claim(part);
            let found = judge(&vec![None; runs.len()]);
            assert!(found.rows.is_empty() && found.figures.is_empty(), "{part}");
            let found = judge(&vec![Some(Seen::default()); runs.len()]);
            let silent = |row: &&ReproductionRow| {
                row.ours.is_none() && row.verdict == ReproductionVerdict::Unjudged
            };
            assert_eq!(found.rows.iter().find(|row| !silent(row)), None, "{part}");
        }
    }
}
