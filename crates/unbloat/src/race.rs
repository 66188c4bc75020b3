//! `unbloat race`: races rules that follow a line, on simulated lines whose rate changes.

use std::fs;
use std::path::Path;

use autorate::Rules;
use race::{Course, Error, Request, Runner, Work};
use units::Span;

use crate::args::{RaceArgs, Raced, RulesName};
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::{files, interrupt, output, pool};

/// Runs `unbloat race` with these arguments.
pub(crate) fn race(args: &RaceArgs) -> Result<(), Failure> {
    let Raced::Autorate = args.what;
    let request = request(args)?;
    files::all_differ(&args.trace.as_deref().into_iter().collect::<Vec<_>>(), &args.draw.files())?;
    // Before any output is opened.
    interrupt::watch_whole()?;
    let drawings = Drawings::create(args.draw.report.as_deref(), &args.draw.plot, &[])?;
    let Some(document) = ::race::race(&request, &Pool { quiet: args.volume.quiet })? else {
        return Err(Failure::Interrupted("a part of a race has no result".into()));
    };
    if drawings.wanted() {
        drawings.draw(&report::race_page(&document))?;
    }
    drawings.telling(args.volume.quiet).commit()?;
    match args.json {
        true => output::print(&report::json(&document)),
        false => output::print(&report::race_table(&document, output::style())),
    }
}

fn request(args: &RaceArgs) -> Result<Request, Failure> {
    if args.seed.checked_add(args.seeds).is_none() {
        return Err(Failure::Input("--seed: there are too few seeds after this one".into()));
    }
    if !(Span::from_secs(10)..=Span::from_secs(3600)).contains(&args.time) {
        return Err(Failure::Input(format!("--time {}: from 10s to 1h", args.time)));
    }
    let mut rules: Vec<Rules> = args.rules.iter().copied().map(rules).collect();
    rules.sort_unstable();
    rules.dedup();
    if rules.is_empty() {
        rules = Rules::ALL.to_vec();
    }
    let recorded = args.trace.as_deref().map(|file| recorded(file, args.time)).transpose()?;
    Ok(Request { rules, seed: args.seed, seeds: args.seeds, time: args.time, recorded })
}

fn recorded(file: &Path, time: Span) -> Result<Course, Failure> {
    let named = file.display();
    let text = fs::read_to_string(file).map_err(|error| Failure::reading(&named, &error))?;
    Course::recorded(text, time).map_err(|why| Failure::Input(format!("{named}: {why}")))
}

const fn rules(name: RulesName) -> Rules {
    match name {
        RulesName::Unbloat => Rules::Ours,
        RulesName::CakeAutorate => Rules::CakeAutorate,
        RulesName::SqmAutorate => Rules::SqmAutorate,
        RulesName::Qosmate => Rules::Qosmate,
        RulesName::Stormguard => Rules::StormGuard,
    }
}

/// Runs on all processors, with progress at a terminal, until an interrupt.
struct Pool {
    quiet: bool,
}

impl Runner for Pool {
    fn each(&self, runs: usize, work: &Work<'_>) {
        let numbers: Vec<usize> = (0..runs).collect();
        pool::each(&numbers, self.quiet, |run, go_on| work(*run, go_on));
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Request(message) => Self::Input(message),
            Error::Run(message) => Self::Run(message),
        }
    }
}
