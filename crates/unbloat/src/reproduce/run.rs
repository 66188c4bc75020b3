//! Runs a paper's experiments: each is a scenario file of this project and what a row of a table
//! changes in it, so that anyone can repeat a row with `unbloat sim FILE --set ...`.

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

/// The scenario file of this name below `scenarios/papers/`.
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
    /// The step of the timeline, if there is to be one.
    step: Option<Span>,
}

impl Run {
    /// The experiment as its file has it.
    pub(super) fn of(file: File) -> Self {
        Self { file, changes: Vec::new(), step: None }
    }

    /// With this field changed.
    pub(super) fn set(mut self, path: &str, value: impl ToString) -> Self {
        self.changes.push(Override { path: path.into(), value: value.to_string() });
        self
    }

    /// With a timeline of this step.
    pub(super) fn over_time(self, step: Span) -> Self {
        Self { step: Some(step), ..self }
    }

    /// Simulates it, and shows each packet to `packets`; nothing comes of it if `progress` says
    /// that it is to end.
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

    /// Which run it was, and why it has no result.
    fn failed(&self, error: &sim::Error) -> String {
        let changes = self.changes.iter();
        let changes: String =
            changes.map(|change| format!(" --set {}={}", change.path, change.value)).collect();
        format!("{}{changes}: {error}", self.file.name)
    }
}

/// What came of a run.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    pub(super) document: Document,
    /// How long it lasted, in its own time.
    pub(super) seconds: f64,
}

/// What to do with each of many runs; answers come in their order. After an interrupt nothing comes
/// of those that were not complete.
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
