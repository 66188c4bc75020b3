//! `unbloat reproduce`: repeats papers' experiments, with their figures beside ours.

use papers::{Error, Paper, Request, Runner, Work};

use crate::args::ReproduceArgs;
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::message::note;
use crate::{files, interrupt, output, pool};

/// Runs `unbloat reproduce` with these arguments.
pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        let list = papers::list();
        return match args.draw.files() {
            [(_, None), (_, None)] if args.json => output::print(&report::json(&papers())),
            [(_, None), (_, None)] => output::print(&report::fold(&(list + &papers::contents()))),
            _ => Err(Failure::Input(format!("name the paper that is to be drawn. {list}"))),
        };
    };
    let paper = Paper::named(name)?;
    let queues: Vec<String> = args.queues.iter().map(|queue| queue.typed.clone()).collect();
    let request = Request { parts: &args.parts, queues: &queues };
    paper.check(&request)?;
    files::all_differ(&[], &args.draw.files())?;
    // Before any output is opened.
    interrupt::watch()?;
    let drawings = Drawings::create(args.draw.report.as_deref(), &args.draw.plot, &[])?;
    let mut repeated = paper.repeat(&request, &Pool { quiet: args.volume.quiet })?;
    let interrupted = interrupt::asked();
    if interrupted {
        let left_out = "Interrupted: what needs the runs that were not done is left out.";
        repeated.page.verdict.insert(0, left_out.into());
    }
    if drawings.wanted() {
        drawings.draw(&repeated.page)?;
    }
    drawings.telling(args.volume.quiet).commit()?;
    output::print(if args.json { &repeated.json } else { &repeated.table })?;
    match interrupted {
        true => {
            Err(Failure::Interrupted("what needs the runs that were not done is left out".into()))
        }
        false => Ok(()),
    }
}

/// All papers, for programs.
fn papers() -> serde_json::Value {
    let papers = papers::PAPERS.iter().map(|Paper { name, title, parts, .. }| {
        serde_json::json!({ "name": name, "title": title, "parts": parts })
    });
    let papers: Vec<_> = papers.collect();
    serde_json::json!({ "schema": "unbloat.papers", "version": 1, "papers": papers })
}

/// Runs on all processors, with progress at a terminal, until an interrupt.
struct Pool {
    quiet: bool,
}

impl Runner for Pool {
    fn each(&self, runs: usize, work: &Work<'_>) {
        let numbers: Vec<usize> = (0..runs).collect();
        let done = pool::each(&numbers, self.quiet, |run, go_on| work(*run, go_on));
        let complete = done.into_iter().filter(|is_complete| *is_complete == Some(true)).count();
        if complete < runs {
            note(format_args!("{complete} of {runs} runs are complete"));
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Request(message) => Self::Input(message),
            Error::Scenario(error) => error.into(),
            Error::Run(message) => Self::Run(message),
        }
    }
}
