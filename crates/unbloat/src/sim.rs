//! `unbloat sim`: a scenario in, what happened out.

use std::io;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use results::Document;
use scenario::Scenario;
use serde::Serialize;
use sim::{Options, SeriesOptions};

use crate::args::SimArgs;
use crate::cost::Stopwatch;
use crate::failure::Failure;
use crate::intent::{self, Comparison, One, Series};
use crate::interrupt;
use crate::output::{self, Staged, note};
use crate::progress::Progress;

/// Does what the arguments ask.
pub(crate) fn sim(args: &SimArgs) -> Result<(), Failure> {
    let Some(file) = args.file.as_deref() else {
        return output::print(&report::json(&scenario::schema()));
    };
    let scenario = intent::scenario(file, args)?;
    if args.compare.is_empty() { one(scenario, file, args) } else { several(&scenario, args) }
}

fn one(scenario: Scenario, file: &Path, args: &SimArgs) -> Result<(), Failure> {
    let one = One::of(scenario, file, args)?;
    interrupt::watch()?;
    let document = simulate(&one, args.volume.quiet)?;
    one.commit()?;
    if args.volume.verbose {
        note(cost("cost", &document));
    }
    if args.json {
        return output::print(&report::json(&document));
    }
    let (table, verdict) = (report::table(&document, output::style()), report::verdict(&document));
    output::print(&format!("{table}\n{}", report::wrap(&verdict)))
}

fn simulate(one: &One, quiet: bool) -> Result<Document, Failure> {
    let progress = Progress::of(1, quiet);
    let mut options = watched(&progress, 0);
    if let Some(Series { file, format, step }) = &one.series {
        let writer = file.writer()?;
        options.series = Some(SeriesOptions { writer, format: *format, step: *step });
    }
    options.packets = one.packets.as_ref().map(Staged::writer).transpose()?;
    run(&one.scenario, options).map_err(|error| Failure::writing(one.outputs(), &error))
}

fn several(scenario: &Scenario, args: &SimArgs) -> Result<(), Failure> {
    let Comparison { place, runs } = Comparison::of(scenario, args)?;
    interrupt::watch()?;
    let place = place.name(scenario);
    if args.volume.verbose {
        note(format_args!("comparing queues on {place}"));
    }
    let (documents, not_run) =
        run_all(&runs, args.volume.quiet).map_err(|error| Failure::Run(error.to_string()))?;
    if args.volume.verbose {
        documents.iter().for_each(|(queue, document)| note(cost(queue, document)));
    }
    if args.json {
        return output::print(&report::json(&ComparisonDocument::of(&place, &documents, &not_run)));
    }
    let table = report::comparison(&documents, &not_run);
    let whole = documents.iter().all(|(_, document)| document.interrupted_s.is_none());
    let only =
        if whole { format!("\nOnly the queue of {place} differs.\n") } else { String::new() };
    output::print(&(table + &only))
}

/// Simulates, and measures what that cost.
fn run(scenario: &Scenario, options: Options<'_>) -> io::Result<Document> {
    let watch = Stopwatch::start();
    let mut document = sim::run(scenario, options)?;
    document.cost = watch.stop(document.cost);
    Ok(document)
}

/// What came of each run, and the queues of those that an interrupt left out.
type Outcomes = (Vec<(String, Document)>, Vec<String>);

/// All of these, as many at a time as there are processors. An interrupt leaves out those that
/// have not begun.
fn run_all(runs: &[(String, Scenario)], quiet: bool) -> io::Result<Outcomes> {
    let progress = Progress::of(runs.len(), quiet);
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while !interrupt::asked() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((queue, scenario)) = runs.get(index) else { break };
            let result = run(scenario, watched(&progress, index)).map(|run| (queue.clone(), run));
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..processors.min(runs.len()) {
            scope.spawn(worker);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    // They begin in their order.
    let not_run = runs.iter().skip(results.len()).map(|(queue, _)| queue.clone()).collect();
    let documents: io::Result<_> = results.into_iter().map(|(_, result)| result).collect();
    Ok((documents?, not_run))
}

/// Options of a run that shows its progress and can be interrupted.
fn watched(progress: &Progress, run: usize) -> Options<'_> {
    let go_on = move |done| {
        progress.report(run, done);
        !interrupt::asked()
    };
    Options { progress: Some(Box::new(go_on)), ..Options::default() }
}

/// One line on what a run took.
fn cost(what: &str, document: &Document) -> String {
    let results::Cost { events, packets, cpu_s, peak_rss_mb, .. } = document.cost;
    let or_dash = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.2}"));
    let (cpu, memory) = (or_dash(cpu_s), or_dash(peak_rss_mb));
    format!("{what}: {events} events, {packets} packets, {cpu} s of processor time, {memory} MB")
}

/// What `--compare --json` prints.
#[derive(Serialize)]
struct ComparisonDocument<'a> {
    schema: &'static str,
    version: u32,
    /// Whose queue was replaced: a link's name and `.forward` or `.reverse`.
    link: &'a str,
    runs: Vec<ComparedRun<'a>>,
    /// Queues that an interrupt left out.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_run: &'a [String],
}

#[derive(Serialize)]
struct ComparedRun<'a> {
    queue: &'a str,
    result: &'a Document,
}

impl<'a> ComparisonDocument<'a> {
    fn of(link: &'a str, documents: &'a [(String, Document)], not_run: &'a [String]) -> Self {
        let run = |(queue, result): &'a (String, Document)| ComparedRun { queue, result };
        let runs = documents.iter().map(run).collect();
        Self { schema: "unbloat.comparison", version: 1, link, runs, not_run }
    }
}
