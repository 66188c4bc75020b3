//! RFC 7928, "Characterization Guidelines for Active Queue Management (AQM)": all of its scenarios
//! that a simulator can run, for any queues, compared with tail drop.
//!
//! The RFC has no figures to agree with; it is a list of tests for a queue. `scenarios` is that
//! list (`transports`, `sharing`, `stability` and `mixes` have its parts), `queues` the queues
//! under test, `setup` one run, `watch` the observation of its packets, `measure` the figures from
//! it, and `gather` the means over the runs.

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

/// The title in one line, for the list of papers.
pub(super) const TITLE: &str =
    "RFC 7928, Characterization Guidelines for Active Queue Management: any queue beside tail drop";

/// The sections, which can be run alone.
pub(super) const PARTS: &[&str] = scenarios::SECTIONS;

/// The runs of each case with each queue, which differ in the start times of flows and in random
/// numbers.
const SEEDS: u64 = 3;

/// Runs all scenarios. After an interrupt the result has the cases whose runs are complete.
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

/// The result of a run. `None` if an interrupt cut it short.
type Outcome = Option<measure::Measured>;

fn told(document: &Characterisation) -> Told {
    Told {
        json: report::json(document),
        table: report::characterisation_table(document),
        page: report::characterisation_page(document),
    }
}
