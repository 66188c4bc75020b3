//! One run: a case, a queue, a seed.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use scenario::{Flow, Override, Scenario, Traffic};
use units::{Rng, Span};

use super::measure::{Measured, measured};
use super::queues::Candidate;
use super::scenario::Case;
use super::watch::{WINDOW, Watch};
use crate::error::Error;
use crate::run::{Ran, Run};

/// The most by which a flow begins later than in its file. Each seed has other start times.
const LATEST: Span = Span::from_millis(500);

/// A run.
pub(super) struct Setup<'a> {
    case: &'a Case,
    queue: Candidate,
    seed: u64,
}

impl<'a> Setup<'a> {
    /// All runs of a case, by queue and then by seed.
    pub(super) fn of(
        case: &'a Case,
        candidates: &'a [Candidate],
        seeds: u64,
    ) -> impl Iterator<Item = Self> {
        let with = move |queue: &Candidate| if case.ecn { queue.marking() } else { queue.clone() };
        let runs = move |queue: &Candidate| {
            let queue = with(queue);
            (1..=seeds).map(move |seed| Self { case, queue: queue.clone(), seed })
        };
        candidates.iter().flat_map(runs)
    }

    /// Simulates the run, and measures it; `None` after an interrupt.
    pub(super) fn simulate(
        &self,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<Measured>, Error> {
        let scenario = self.scenario()?;
        let watch = Arc::new(Mutex::new(Watch::after(scenario.warmup)));
        let changes = self.changes(&scenario);
        let run =
            changes.iter().fold(Run::of(self.case.file), |run, (path, value)| run.set(path, value));
        let sink = Box::new(watch.clone());
        let ran = run.over_time(WINDOW).simulate(Some(sink), progress)?;
        let watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ran.map(|Ran { document, .. }| measured(self.case, &scenario, &document, &watch)))
    }

    /// The command that repeats this run.
    pub(super) fn command(&self) -> Result<String, Error> {
        let changes = self.changes(&self.scenario()?);
        let quoted = |value: &str| match value.contains([' ', '[', '"']) {
            true => format!("'{value}'"),
            false => value.to_owned(),
        };
        let mut command = format!("unbloat sim {}", self.case.file.name);
        for (path, value) in changes {
            command += &format!(" --set {path}={}", quoted(&value));
        }
        Ok(command)
    }

    /// The scenario of the case, with its changes but without the run's.
    fn scenario(&self) -> Result<Scenario, Error> {
        let no_trace = |_: &str| Err(io::Error::from(io::ErrorKind::NotFound));
        let change = |(path, value): &(String, String)| Override {
            path: path.clone(),
            value: value.clone(),
        };
        let changes: Vec<Override> = self.case.changes.iter().map(change).collect();
        Ok(Scenario::parse(self.case.file.text, self.case.file.name, &changes, &no_trace)?)
    }

    /// All changes to the file.
    fn changes(&self, scenario: &Scenario) -> Vec<(String, String)> {
        let mut changes = self.case.changes.clone();
        changes.push(("seed".into(), self.seed.to_string()));
        let queue = self.queue.with_buffer(self.case.buffer);
        changes.extend(self.case.places.iter().map(|place| ((*place).into(), queue.clone())));
        // Queues that are not under test are tail drop with the same buffer.
        let mut starts = Rng::new(self.seed).fork("starts");
        for flow in scenario.flows.iter().filter(|flow| !is_way_back(flow)) {
            let later = Span::from_micros(starts.below(LATEST.as_nanos() / 1000));
            let start = flow.start.least + later;
            changes.push((format!("flow.{}.start", flow.name), start.to_string()));
            // RFC 7928 section 4.5: senders use ECN where the case or the queue asks for it.
            if flow.traffic.is_tcp() && (self.case.ecn || self.queue.marks()) {
                changes.push((format!("flow.{}.ecn", flow.name), "true".into()));
            }
        }
        changes
    }
}

/// True for the reverse half of a call. The file sets a call once, and its reverse half begins with
/// it.
fn is_way_back(flow: &Flow) -> bool {
    matches!(flow.traffic, Traffic::Voip { .. }) && flow.name.ends_with("-back")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rfc7928::{queues, scenarios};

    /// Every change of each case and each queue is valid.
    #[test]
    fn each_run_is_a_scenario() {
        let candidates = queues::candidates(&[]);
        let no_trace = |_: &str| Err(io::Error::from(io::ErrorKind::NotFound));
        let all = scenarios::all();
        let cases = all.iter().flat_map(|scenario| &scenario.cases);
        for setup in cases.flat_map(|case| Setup::of(case, &candidates, 1)) {
            let Ok(plain) = setup.scenario() else { panic!("{}: its file", setup.case.id) };
            let change = |(path, value)| Override { path, value };
            let changes: Vec<Override> = setup.changes(&plain).into_iter().map(change).collect();
            let file = setup.case.file;
            let scenario = Scenario::parse(file.text, file.name, &changes, &no_trace);
            assert!(scenario.is_ok(), "{}: {scenario:?}", setup.case.id);
        }
    }
}
