//! Runs a paper's experiments. Each is a scenario file of this project with the changes of one row
//! of a table, so that anyone can repeat a row with `unbloat sim FILE --set ...`.

use std::io::{self, Write};

use results::Document;
use scenario::{Override, Scenario};
use sim::Options;
use units::Span;

use crate::failure::Failure;
use crate::output::note;
use crate::pool;

/// A scenario file of this project.
#[derive(Clone, Copy, Debug)]
pub(super) struct File {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

/// The scenario file with this name below `scenarios/papers/`.
macro_rules! paper_file {
    ($name:literal) => {
        $crate::reproduce::run::File {
            name: concat!("scenarios/papers/", $name),
            text: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../scenarios/papers/",
                $name
            )),
        }
    };
}
pub(super) use paper_file;

/// One run.
#[derive(Clone, Debug)]
pub(super) struct Run {
    file: File,
    changes: Vec<Override>,
    /// The step of the timeline. `None` for no timeline.
    step: Option<Span>,
}

impl Run {
    /// The experiment of this file, unchanged.
    pub(super) fn of(file: File) -> Self {
        Self { file, changes: Vec::new(), step: None }
    }

    /// The run with this field changed.
    pub(super) fn set(mut self, path: &str, value: impl ToString) -> Self {
        self.changes.push(Override { path: path.into(), value: value.to_string() });
        self
    }

    /// The run with a timeline of this step.
    pub(super) fn over_time(self, step: Span) -> Self {
        Self { step: Some(step), ..self }
    }

    /// Simulates the run and writes its table of packets to `packets`. `None` if `progress` ended
    /// the run.
    pub(super) fn simulate(
        &self,
        packets: Option<Box<dyn Write>>,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<Ran>, Failure> {
        let no_trace = |_: &str| Err(io::Error::from(io::ErrorKind::NotFound));
        let scenario = Scenario::parse(self.file.text, self.file.name, &self.changes, &no_trace)?;
        let options = Options {
            packets,
            timeline: self.step,
            progress: Some(Box::new(progress)),
            ..Options::default()
        };
        let document =
            sim::run(&scenario, options).map_err(|error| Failure::Run(self.failed(&error)))?;
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
pub(super) struct Ran {
    pub(super) document: Document,
    /// The duration in simulated time, seconds.
    pub(super) seconds: f64,
}

/// Calls `measure` for each run and returns the answers in the order of the runs. After an
/// interrupt, runs that were not complete give `None`.
pub(super) fn measure<R: Sync, T: Send>(
    runs: &[R],
    quiet: bool,
    measure: impl Fn(&R, &mut dyn FnMut(f64) -> bool) -> Result<Option<T>, Failure> + Sync,
) -> Result<Vec<Option<T>>, Failure> {
    let answers = pool::each(runs, quiet, measure).into_iter();
    let measured: Result<Vec<Option<T>>, Failure> =
        answers.map(|answer| Ok(answer.transpose()?.flatten())).collect();
    let measured = measured?;
    tell_of_missing(&measured);
    Ok(measured)
}

fn tell_of_missing<T>(measured: &[Option<T>]) {
    let complete = measured.iter().flatten().count();
    if complete < measured.len() {
        note(format_args!("{complete} of {} runs are complete", measured.len()));
    }
}
