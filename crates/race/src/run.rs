//! Runs a race: each set of rules, and the oracle, on each line.

use std::sync::{Mutex, PoisonError};

use autorate::{Both, Controller, Heading};
use results::Race;
use sim::Options;
use units::{Rng, Span};

use crate::document;
use crate::drive::Driver;
use crate::oracle::Oracle;
use crate::request::{Finish, Request, Start, line, starts};
use crate::{Error, LineKind, scene};

/// The work of a run, by the run's number. The work reports its progress, from 0 to 1, to a
/// function that returns true to go on. Returns false if it was cut short.
pub type Work<'a> = dyn Fn(usize, &mut dyn FnMut(f64) -> bool) -> bool + Sync + 'a;

/// A runner of simulations, in any order and on any number of threads.
pub trait Runner {
    /// Does the work of the runs 0 to `runs` - 1, each at most once. Runs may be left out, or cut
    /// short, after an interrupt.
    fn each(&self, runs: usize, work: &Work<'_>);
}

/// Races, and returns the result document; `None` if the runner left runs out.
///
/// # Errors
/// If there is nothing to race, or if a run fails.
pub fn race(request: &Request, runner: &dyn Runner) -> Result<Option<Race>, Error> {
    if request.rules.is_empty() || request.seeds == 0 || request.time < Span::from_secs(10) {
        let wrong = "a race needs rules, at least one seed, and runs of at least 10s";
        return Err(Error::Request(wrong.into()));
    }
    let starts = starts(request);
    let finishes: Vec<_> = starts.iter().map(|_| Mutex::new(Ok(None))).collect();
    runner.each(starts.len(), &|index, go_on| {
        let finish = run(request, &starts[index], go_on);
        let is_complete = !matches!(finish, Ok(None));
        *finishes[index].lock().unwrap_or_else(PoisonError::into_inner) = finish;
        is_complete
    });
    let mut runs = Vec::new();
    for (start, finish) in starts.into_iter().zip(finishes) {
        let finish = finish.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let Some(finish) = finish else { return Ok(None) };
        runs.push((start, finish));
    }
    Ok(Some(document::race(request, &runs)))
}

fn run(
    request: &Request,
    start: &Start,
    go_on: &mut dyn FnMut(f64) -> bool,
) -> Result<Option<Finish>, Error> {
    let line = line(request, start);
    let failed = |message: String| {
        let kind = start.kind.map_or("trace", LineKind::name);
        Error::Run(format!("{kind}, seed {}: {message}", start.seed))
    };
    let scenario = scene::scenario(&line, start.seed, request.time);
    let scenario = scenario.map_err(|error| failed(error.to_string()))?;
    let controller: Box<dyn Controller + Send + '_> = match start.rules {
        Some(rules) => rules.controller(line.limits, start.seed),
        None => Box::new(Oracle::new(&line.courses, line.limits)),
    };
    let mut driver = Driver::new(&line, controller, Rng::new(start.seed).fork("reflectors"));
    let options = Options {
        progress: Some(Box::new(go_on)),
        supervisor: Some(&mut driver),
        ..Options::default()
    };
    let document = sim::run(&scenario, options).map_err(|error| failed(error.to_string()))?;
    if document.interrupted_s.is_some() {
        return Ok(None);
    }
    let goodput = Both::new(|heading| delivered(&document, heading));
    let Driver { truth, reflectors, .. } = driver;
    Ok(Some(Finish { truth, goodput, requests: reflectors.sent() }))
}

/// The bytes that all transfers of a direction delivered.
fn delivered(document: &results::Document, heading: Heading) -> f64 {
    let transfers =
        document.flows.iter().filter(|(name, _)| name.starts_with(scene::prefix(heading)));
    transfers.map(|(_, flow)| flow.delivered_bytes.unwrap_or_default() as f64).sum()
}
