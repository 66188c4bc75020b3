//! Runs a paper's experiments. Each is a scenario file of this project with the changes of one row
//! of a table, so that anyone can repeat a row with `unbloat sim FILE --set ...`.

use std::io;
use std::sync::{Mutex, PoisonError};

use results::Document;
use scenario::{Override, Scenario};
use sim::Options;
use tables::FateSink;
use units::Span;

use crate::error::Error;

/// A scenario file of this project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

/// The scenario file with this name below `scenarios/papers/`.
macro_rules! paper_file {
    ($name:literal) => {
        $crate::run::File {
            name: concat!("scenarios/papers/", $name),
            text: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../scenarios/papers/",
                $name
            )),
        }
    };
}
pub(crate) use paper_file;

/// A run of a scenario file.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    file: File,
    changes: Vec<Override>,
    /// The step of the timeline; `None` for no timeline.
    step: Option<Span>,
}

impl Run {
    /// The experiment of this file, unchanged.
    pub(crate) fn of(file: File) -> Self {
        Self { file, changes: Vec::new(), step: None }
    }

    /// The run with this field changed.
    pub(crate) fn set(mut self, path: &str, value: impl ToString) -> Self {
        self.changes.push(Override { path: path.into(), value: value.to_string() });
        self
    }

    /// The run with a timeline of this step.
    pub(crate) fn over_time(self, step: Span) -> Self {
        Self { step: Some(step), ..self }
    }

    /// Simulates the run and passes the fate of each packet to `packets`; `None` if `progress` ended
    /// the run.
    pub(crate) fn simulate(
        &self,
        packets: Option<Box<dyn FateSink + Send>>,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<Ran>, Error> {
        let no_trace = |_: &str| Err(io::Error::from(io::ErrorKind::NotFound));
        let scenario = Scenario::parse(self.file.text, self.file.name, &self.changes, &no_trace)?;
        let options = Options {
            packets,
            timeline: self.step,
            progress: Some(Box::new(progress)),
            ..Options::default()
        };
        let document =
            sim::run(&scenario, options).map_err(|error| Error::Run(self.failed(&error)))?;
        let seconds = scenario.duration.as_secs_f64();
        Ok(document.interrupted_s.is_none().then_some(Ran { document, seconds }))
    }

    /// A message that names the run and its error.
    fn failed(&self, error: &sim::Error) -> String {
        let changes = self.changes.iter();
        let changes: String =
            changes.map(|change| format!(" --set {}={}", change.path, change.value)).collect();
        format!("{}{changes}: {error}", self.file.name)
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) document: Document,
    /// The duration in simulated time, seconds.
    pub(crate) seconds: f64,
}

/// The work of a run, by the run's number. The work reports its progress, from 0 to 1, to a
/// function that returns true to go on. Returns false if it was cut short.
pub type Work<'a> = dyn Fn(usize, &mut dyn FnMut(f64) -> bool) -> bool + Sync + 'a;

/// A runner of simulations, in any order and on any number of threads.
pub trait Runner {
    /// Does the work of the runs 0 to `runs` - 1, each at most once. Runs may be left out, or cut
    /// short, after an interrupt.
    fn each(&self, runs: usize, work: &Work<'_>);
}

/// Calls `measure` for each run and returns the answers in the order of the runs. After an
/// interrupt, runs that were not complete give `None`.
pub(crate) fn measure<R: Sync, T: Send>(
    runs: &[R],
    runner: &dyn Runner,
    measure: impl Fn(&R, &mut dyn FnMut(f64) -> bool) -> Result<Option<T>, Error> + Sync,
) -> Result<Vec<Option<T>>, Error> {
    let answers: Vec<_> = runs.iter().map(|_| Mutex::new(Ok(None))).collect();
    runner.each(runs.len(), &|run, go_on| {
        let answer = measure(&runs[run], go_on);
        let is_complete = !matches!(answer, Ok(None));
        *answers[run].lock().unwrap_or_else(PoisonError::into_inner) = answer;
        is_complete
    });
    let answers = answers.into_iter();
    answers.map(|answer| answer.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}
