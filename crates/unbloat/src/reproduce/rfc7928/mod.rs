//! RFC 7928, "Characterization Guidelines for Active Queue Management (AQM)": all of its scenarios
//! that a simulator can run, for any queues, beside tail drop.
//!
//! It is no paper with figures to agree with, but a list of questions to a queue. `scenarios` is
//! that list (`transports`, `sharing`, `stability` and `mixes` have its parts), `queues` what is put
//! to the test, `setup` one run, `watch` what is seen of its packets, `measure` what that amounts to,
//! and `gather` the means over the runs.

mod gather;
mod measure;
mod mixes;
mod queues;
mod scenarios;
mod setup;
mod sharing;
mod stability;
mod transports;
mod watch;

use results::Characterisation;

use super::{Told, is_of};
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use queues::Candidate;
use scenarios::Scenario;
use setup::Setup;

/// In one line, for the list of papers.
pub(super) const TITLE: &str =
    "RFC 7928, Characterization Guidelines for Active Queue Management: any queue beside tail drop";

/// Its sections, which can be run alone.
pub(super) const PARTS: &[&str] = scenarios::SECTIONS;

/// Runs of each case with each queue: they begin their flows at other times, and draw other numbers.
const SEEDS: u64 = 3;

/// Runs all scenarios. After an interrupt there are the cases whose runs are complete.
pub(super) fn reproduce(args: &ReproduceArgs) -> Result<Told, Failure> {
    let candidates = queues::candidates(&args.queues);
    let mut scenarios = scenarios::all();
    if !args.parts.is_empty() {
        let asked = |section: &str| args.parts.iter().any(|part| is_of(section, part));
        scenarios.retain(|scenario| asked(&scenario.about.section));
    }
    let cases = || scenarios.iter().flat_map(|scenario| &scenario.cases);
    let runs: Vec<Setup<'_>> =
        cases().flat_map(|case| Setup::of(case, &candidates, SEEDS)).collect();
    let measured = super::run::measure(&runs, args.volume.quiet, Setup::simulate)?;
    let per_case = candidates.len() * SEEDS as usize;
    let mut own = runs.chunks(per_case).zip(measured.chunks(per_case));
    let mut found = Vec::new();
    for Scenario { about, cases } in &scenarios {
        let complete = cases.iter().zip(own.by_ref());
        let cases =
            complete.filter_map(|(case, (runs, measured))| gather::case(case, runs, measured));
        let cases: Vec<_> = cases.collect();
        if !cases.is_empty() {
            found.push(results::CharacterisedScenario { cases, ..about.clone() });
        }
    }
    Ok(told(&Characterisation {
        guidelines: "RFC 7928, Characterization Guidelines for Active Queue Management".into(),
        queues: candidates.into_iter().map(|Candidate { typed, .. }| typed).collect(),
        scenarios: found,
        left_out: if args.parts.is_empty() { scenarios::left_out() } else { Vec::new() },
        ..Characterisation::default()
    }))
}

/// What came of a run; nothing if an interrupt cut it short.
type Outcome = Option<measure::Measured>;

fn told(document: &Characterisation) -> Told {
    Told {
        json: report::json(document),
        table: report::characterisation_table(document),
        page: report::characterisation_page(document),
    }
}
