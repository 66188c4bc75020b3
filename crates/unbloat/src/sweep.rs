//! `unbloat sweep`: many runs of one scenario, each done once and its result kept.

mod bar;
mod command;
mod cost;

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use ::sweep::{Error, Format, Manifest, Origin, Points, Store};
use results::{Document, GroupTable, LinkDirection, Runs, SweepSummary, VariedField};
use scenario::{Scenario, ScenarioError, Sweep};
use sim::Options;
use units::{Way, nearest};

use crate::args::{self, SweepArgs};
use crate::failure::Failure;
use crate::intent;
use crate::interrupt;
use crate::message::note;
use crate::output;
use bar::Bar;

/// Runs `unbloat sweep` with these arguments.
pub(crate) fn sweep(args: &SweepArgs) -> Result<(), Failure> {
    let sweep = Sweep::load(&args.file, &intent::overrides(&args.scenario), &args.vary)
        .map_err(|error| as_typed(error, args))?;
    can_be_simulated(&sweep)?;
    can_be_grouped(&sweep, &args.by)?;
    let (link, way) = reference(&sweep, args.link.as_deref())?;
    // Before any output is opened.
    interrupt::watch()?;
    let folder = args.store.clone().unwrap_or_else(|| usual_folder(&args.file));
    let bottleneck = LinkDirection { link: &link, way };
    let mut store = open(&folder, &sweep, bottleneck, args)?;
    let simulate =
        |scenario: &Scenario, go_on: &mut dyn FnMut(f64) -> bool| -> io::Result<Document> {
            let progress: Option<Box<dyn FnMut(f64) -> bool>> = Some(Box::new(go_on));
            let options = Options { progress, without_scenario: true, ..Options::default() };
            ::sim::run(scenario, options).map_err(io::Error::other)
        };
    let points = Points { sweep: &sweep, bottleneck, simulate: &simulate };
    let threads = args.threads.unwrap_or_else(processors);
    let tried = match cost::try_some(&store, &points, threads, args.yes) {
        Ok(rows) => rows,
        Err(refusal) => {
            store.abandon();
            return Err(Failure::Input(refusal));
        }
    };
    let bar = Bar::new(&store, threads, args.volume.quiet);
    let done = tried.into_iter().try_for_each(|row| store.keep(row));
    let done = done.and_then(|()| ::sweep::run(&mut store, &points, threads, &bar));
    drop(bar);
    done.map_err(|error| stopped(error, store.missing() < store.ours()))?;
    let missing = store.missing();
    drop(store);
    tell(&folder, &sweep, missing, args)
}

/// The error with `--seed` in place of the `--set` that the option became.
fn as_typed(error: ScenarioError, args: &SweepArgs) -> ScenarioError {
    match (args.scenario.seed, &error.origin) {
        (Some(seed), scenario::Origin::Override(change))
            if change.path == "seed" && change.value == seed.to_string() =>
        {
            ScenarioError { origin: scenario::Origin::File(format!("--seed {seed}")), ..error }
        }
        _ => error,
    }
}

/// Fails early if the simulator lacks a feature that the sweep needs.
fn can_be_simulated(sweep: &Sweep) -> Result<(), Failure> {
    for point in sweep.tried() {
        ::sim::fit(&sweep.scenario(point)?).map_err(Failure::Input)?;
    }
    Ok(())
}

/// Fails unless each name is one of the fields that vary.
fn can_be_grouped(sweep: &Sweep, by: &[String]) -> Result<(), Failure> {
    let paths: Vec<&str> = sweep.paths().collect();
    let field = |path: &&str| VariedField { path: (*path).to_owned(), values: Vec::new() };
    let fields = paths.iter().map(field).collect();
    let runs = Runs { fields, ..Runs::default() };
    match by.iter().find(|name| runs.field(name).is_none()) {
        None => Ok(()),
        Some(name) => {
            let ends =
                |path: &&&str| path.strip_suffix(name.as_str()).is_some_and(|it| it.ends_with('.'));
            let (name, there) = (report::printable(name), paths.join(", "));
            Err(Failure::Input(match paths.iter().filter(ends).count() {
                0 | 1 => {
                    let near = nearest_end(&name, &paths);
                    let near = near.map(|it| format!("did you mean `{it}`? ")).unwrap_or_default();
                    format!(
                        "--by {name}: `{name}` is not a field that varies; {near}choose among: {there}"
                    )
                }
                _ => {
                    format!("--by {name}: several fields that vary end so; say more of it: {there}")
                }
            }))
        }
    }
}

/// The field whose path, or the end of it, is probably meant; `None` if none is close.
fn nearest_end<'a>(name: &str, paths: &'a [&'a str]) -> Option<&'a str> {
    let ends: Vec<&str> = paths.iter().filter_map(|path| path.rsplit('.').next()).collect();
    let is_end = |path: &&&str, end: &str| path.rsplit('.').next() == Some(end);
    let by_end = |end: &str| paths.iter().find(|path| is_end(path, end)).copied();
    nearest(name, paths).or_else(|| nearest(name, &ends).and_then(by_end))
}

/// The link and direction that are asked for, or else those of the bottleneck of most runs.
fn reference(sweep: &Sweep, name: Option<&str>) -> Result<(String, Way), Failure> {
    let Some(name) = name else { return Ok(::sweep::bottleneck(sweep)?) };
    let first = sweep.scenario(0)?;
    Ok(::sweep::place(&first, intent::named_direction("--link", name, &first)?))
}

/// The folder if none is given: `queues.runs` for `scenarios/sweeps/queues.toml`.
fn usual_folder(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or(file.as_os_str()).to_owned();
    name.push(".runs");
    name.into()
}

fn open(
    folder: &Path,
    sweep: &Sweep,
    bottleneck: LinkDirection<'_>,
    args: &SweepArgs,
) -> Result<Store, Failure> {
    let there = ::sweep::manifest_of(folder).map_err(disk)?;
    let format = match args.format {
        Some(args::Format::Csv) => Format::Csv,
        Some(args::Format::Parquet) => Format::Parquet,
        None => there.as_ref().map_or(Format::Parquet, |there| there.format),
    };
    // Without `--shard`, all shards of an existing folder go on.
    let shards = match args.shard {
        Some(shard) => shard.of,
        None => there.as_ref().map_or(1, |there| there.shards),
    };
    let title = sweep.scenario(0)?.title;
    let (unbloat, build) = (env!("CARGO_PKG_VERSION"), env!("UNBLOAT_BUILD"));
    let origin = Origin { unbloat, build, title: &title, bottleneck, shards, format };
    let only = args.shard.map(|shard| shard.number);
    let store = Store::open(folder, Manifest::new(sweep, &origin), only).map_err(disk)?;
    if args.volume.verbose {
        let done = store.ours() - store.missing();
        note(format_args!("{}: {done} of {} runs are done", folder.display(), store.ours()));
    }
    Ok(store)
}

fn processors() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

fn disk(error: Error) -> Failure {
    match error {
        Error::Folder(message) => Failure::Input(message),
        Error::Taken(message) => Failure::Input(format!("{message}, or name another --store")),
        Error::Disk(message) => Failure::Run(message),
    }
}

/// The failure for a disk error. `any` is true if some runs are in the folder.
fn stopped(error: Error, any: bool) -> Failure {
    match disk(error) {
        Failure::Run(message) if any => Failure::Run(format!(
            "{message}; what was done is kept, and the same command goes on from there"
        )),
        failure => failure,
    }
}

/// Prints what the folder contains now. Fails if runs are missing or failed.
fn tell(folder: &Path, sweep: &Sweep, missing: u64, args: &SweepArgs) -> Result<(), Failure> {
    let summary = summary(folder, sweep, missing > 0, args)?;
    output::print(&if args.json {
        report::json(&summary)
    } else {
        report::sweep_tables(&summary, output::style())
    })?;
    let failed = (!summary.failed.is_empty()).then(|| command::failures(&summary.failed));
    match (missing, failed) {
        (0, None) => Ok(()),
        (0, Some(failed)) => Err(Failure::Run(failed)),
        (missing, failed) => {
            let runs = if missing == 1 { "1 run is".into() } else { format!("{missing} runs are") };
            let failed = failed.map(|failed| format!("\n{failed}")).unwrap_or_default();
            let same = "the same command does them";
            Err(Failure::Interrupted(format!("{runs} missing; {same}{failed}")))
        }
    }
}

fn summary(
    folder: &Path,
    sweep: &Sweep,
    interrupted: bool,
    args: &SweepArgs,
) -> Result<SweepSummary, Failure> {
    let there = ::sweep::read_folder(folder).map_err(disk)?;
    let runs = &there.runs;
    let by: Vec<&VariedField> = args.by.iter().filter_map(|name| runs.field(name)).collect();
    let tables =
        if by.is_empty() { GroupTable::usual(runs) } else { vec![GroupTable::of(runs, &by)] };
    let mut summary = SweepSummary { interrupted, ..there.summary(folder, tables) };
    for failed in &mut summary.failed {
        failed.command = command::repeating(&args.file, sweep, failed.run);
    }
    Ok(summary)
}
