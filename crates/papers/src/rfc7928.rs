//! RFC 7928, "Characterization Guidelines for Active Queue Management (AQM)": all of its scenarios
//! that a simulator can run, for any queues, compared with tail drop.
//!
//! The RFC has no figures to agree with: it is a list of tests for a queue. `scenarios` is that
//! list (`transports`, `sharing`, `stability` and `mixes` have its parts), `queues` the queues
//! under test, `setup` one run, `watch` the observation of its packets, `measure` the figures from
//! the run, and `gather` the means over the runs.

mod gather;
mod measure;
mod mixes;
mod queues;
mod scenario;
mod scenarios;
mod setup;
mod sharing;
mod stability;
mod transports;
mod watch;

use results::Characterisation;

use crate::error::Error;
use crate::repeated::Repeated;
use crate::request::Request;
use crate::run::Runner;
use queues::Candidate;
use scenario::Scenario;
use setup::Setup;

/// The title in one line, for the list of papers.
pub(crate) const TITLE: &str =
    "RFC 7928, Characterization Guidelines for Active Queue Management: any queue beside tail drop";

/// The sections, which can be run alone.
pub(crate) const PARTS: &[&str] = scenarios::SECTIONS;

/// The runs of each case with each queue, which differ in the start times of flows and in random
/// numbers.
const SEEDS: u64 = 3;

/// Runs all scenarios. After an interrupt the result has the cases whose runs are complete.
pub(crate) fn repeat(request: &Request<'_>, runner: &dyn Runner) -> Result<Repeated, Error> {
    let candidates = queues::candidates(request.queues);
    let mut scenarios = scenarios::all();
    scenarios.retain(|scenario| request.asks_for(&scenario.about.section));
    let cases = || scenarios.iter().flat_map(|scenario| &scenario.cases);
    let runs: Vec<Setup<'_>> =
        cases().flat_map(|case| Setup::of(case, &candidates, SEEDS)).collect();
    let measured = crate::run::measure(&runs, runner, Setup::simulate)?;
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
    Ok(Repeated::characterisation(&Characterisation {
        guidelines: "RFC 7928, Characterization Guidelines for Active Queue Management".into(),
        queues: candidates.into_iter().map(|Candidate { typed, .. }| typed).collect(),
        scenarios: found,
        left_out: if request.parts.is_empty() { scenarios::left_out() } else { Vec::new() },
        ..Characterisation::default()
    }))
}
