//! The accuracy of `unbloat test` over paths of the lab, whose queues provide the truth.

mod beside;
mod case;
mod cost;
mod judge;
pub(crate) mod programs;
mod run_case;
mod score;
mod summary;
pub(crate) mod time_of_day;
pub(crate) mod truth;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use results::Soundness;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::machine;
use crate::table::{Format, print_json};
use beside::Beside;
use case::Case;
use cost::Loopback;
use judge::Judged;
use run_case::{Cost, Run};

/// The name of the case that runs other programs beside ours.
const BESIDE: &str = "beside";
/// The name of the case that has nothing between client and server.
const LOOPBACK: &str = "loopback";
/// The name of the case that repeats the case `modem`.
const SPREAD: &str = "spread";

/// The options of `bench measure`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Only these cases; `spread` is one of them many times, `beside` other programs over the same
    /// link, `loopback` no link at all [default: all]
    cases: Vec<String>,
    /// Only a few cases, for a first look.
    #[arg(long, conflicts_with = "cases")]
    quick: bool,
    /// Number of runs of `spread`, which shows how much our number varies.
    #[arg(long, default_value_t = 10)]
    runs: u32,
    /// Program that is judged [default: that which was built beside this one]
    #[arg(long, value_name = "FILE")]
    unbloat: Option<PathBuf>,
    /// Most runs of a case, which is repeated until the lab keeps time.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    tries: u32,
    /// Count runs in which the lab did not keep time.
    #[arg(long)]
    allow_starved: bool,
    /// Keep the measurement of each case, and each probe as the queues saw it, in this folder.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Judge the measurements that were kept in this folder, and run nothing.
    #[arg(long, value_name = "FOLDER", conflicts_with = "keep")]
    kept: Option<PathBuf>,
    /// Further options for `unbloat test`, as in `--test=--time --test=10s`.
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    test: Vec<String>,
    /// Write one JSON document.
    #[arg(long)]
    json: bool,
    /// Write the tables of docs/accuracy.md.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// The options of one run in a process of its own.
#[derive(clap::Args)]
pub(crate) struct ChildSettings {
    /// Name of the case; `beside` for other programs.
    case: String,
    /// Program that is judged.
    unbloat: PathBuf,
    /// File to which its datagrams are written.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Further options for the test.
    #[arg(long, allow_hyphen_values = true)]
    test: Vec<String>,
}

/// The results of all cases.
#[derive(Default, Serialize)]
struct Results {
    judged: Vec<Judged>,
    /// The cases without a result, each with the reason.
    failed: Vec<(&'static str, String)>,
    /// Our program's figure in several runs of the same case.
    lags: Vec<f64>,
    beside: Option<Beside>,
    loopback: Option<Loopback>,
    /// The processor time and memory of test and server in each case.
    costs: Vec<Costs>,
}

/// The cost of a case.
#[derive(Serialize)]
struct Costs {
    case: &'static str,
    /// The duration in seconds.
    lasted: f64,
    client: Cost,
    server: Cost,
}

/// Runs all cases, one after the other, and prints the results.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let cases = settings.cases()?;
    let unbloat = match settings.kept {
        None => settings.unbloat()?,
        Some(_) => PathBuf::new(),
    };
    if let Some(keep) = &settings.keep {
        fs::create_dir_all(keep).map_err(|error| format!("{}: {error}", keep.display()))?;
    }
    go_first();
    let mut results = Results::default();
    for (index, case) in cases.iter().enumerate() {
        let place = format!("{} of {}: {}", index + 1, cases.len(), case.name);
        match settings.soundest(case, &unbloat, &place) {
            Ok(run) => results.take(case, &run),
            Err(why) => results.failed.push((case.name, why)),
        }
    }
    if settings.wants(SPREAD) {
        results.lags = settings.lags(&unbloat)?;
    }
    if settings.wants(BESIDE) {
        eprintln!("{BESIDE}");
        results.beside = Some(in_child(&[BESIDE.into(), unbloat.clone().into()])?.0);
    }
    if settings.wants(LOOPBACK) {
        eprintln!("{LOOPBACK}");
        results.loopback = Some(in_child(&[LOOPBACK.into(), unbloat.into()])?.0);
    }
    settings.print(&results)
}

/// Gives the processes of this session priority over all others, where that is allowed: other load
/// on the machine would be measured too. Not allowed are a kernel without session groups, and a
/// user that is not root.
pub(crate) fn go_first() {
    let _ = fs::write("/proc/self/autogroup", "-20");
}

/// Makes one run and prints it for [`run`], since entering namespaces needs a process of one
/// thread.
pub(crate) fn child(settings: &ChildSettings) -> Result<(), String> {
    if settings.case == BESIDE {
        return print_json(&beside::run()?);
    }
    if settings.case == LOOPBACK {
        return print_json(&cost::run(&settings.unbloat, &settings.test)?);
    }
    let cases = case::cases();
    let case = cases.iter().find(|case| case.name == settings.case).ok_or("no such case")?;
    let run = run_case::run(case, &settings.unbloat, &settings.test, settings.keep.as_deref())?;
    print_json(&run)
}

/// The output of a child with these arguments, parsed and as it stands.
fn in_child<T: DeserializeOwned>(arguments: &[OsString]) -> Result<(T, Vec<u8>), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program).arg("measure-child").args(arguments).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().into());
    }
    let read = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    Ok((read, output.stdout))
}

impl Results {
    fn take(&mut self, case: &Case, run: &Run) {
        self.judged.extend(judge::judge(case, run));
        let (client, server) = (run.client, run.server);
        let lasted = run.measurement.duration_s;
        self.costs.push(Costs { case: case.name, lasted, client, server });
    }
}

impl Settings {
    /// True if no case is left out.
    fn is_whole(&self) -> bool {
        !self.quick && self.cases.is_empty()
    }

    /// True if this case, which is not a path, is to be run.
    fn wants(&self, what: &str) -> bool {
        (self.is_whole() && self.kept.is_none()) || self.cases.iter().any(|name| name == what)
    }

    fn cases(&self) -> Result<Vec<Case>, String> {
        let all = case::cases();
        let names = all.iter().map(|case| case.name).chain([SPREAD, BESIDE, LOOPBACK]);
        let names: Vec<&str> = names.collect();
        if let Some(name) = self.cases.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("there is no case `{name}`; there are: {}", names.join("; ")));
        }
        let wanted = |case: &Case| match self.quick {
            true => case::QUICK.contains(&case.name),
            false => self.is_whole() || self.cases.iter().any(|name| name == case.name),
        };
        Ok(all.into_iter().filter(wanted).collect())
    }

    fn unbloat(&self) -> Result<PathBuf, String> {
        let beside = || Some(std::env::current_exe().ok()?.with_file_name("unbloat"));
        let program = self.unbloat.clone().or_else(beside).filter(|program| program.is_file());
        program.ok_or_else(|| "there is no unbloat beside this program; name it: --unbloat".into())
    }

    /// The first run in which the lab kept time, or the last of all tries.
    fn soundest(&self, case: &Case, unbloat: &Path, place: &str) -> Result<Run, String> {
        if self.kept.is_some() {
            return self.outcome(case, unbloat);
        }
        eprintln!("{place}");
        let mut run = self.outcome(case, unbloat)?;
        for _ in 1..self.tries {
            if run.validity.verdict == Soundness::Valid {
                break;
            }
            eprintln!("{place}, again");
            run = self.outcome(case, unbloat)?;
        }
        Ok(run)
    }

    fn outcome(&self, case: &Case, unbloat: &Path) -> Result<Run, String> {
        let file = |folder: &PathBuf| folder.join(case.name.replace([' ', ','], "-"));
        let wrong = |path: &Path, why: &dyn Display| format!("{}: {why}", path.display());
        if let Some(kept) = &self.kept {
            let file = file(kept).with_extension("json");
            let text = fs::read(&file).map_err(|error| wrong(&file, &error))?;
            return serde_json::from_slice(&text).map_err(|error| wrong(&file, &error));
        }
        let mut arguments: Vec<OsString> = vec![case.name.into(), unbloat.into()];
        let keep = self.keep.as_ref().map(file);
        if let Some(keep) = &keep {
            arguments.extend(["--keep".into(), keep.with_extension("csv").into()]);
        }
        arguments.extend(self.test.iter().map(|word| format!("--test={word}").into()));
        let (run, text) = in_child(&arguments)?;
        if let Some(keep) = keep.map(|keep| keep.with_extension("json")) {
            fs::write(&keep, text).map_err(|error| wrong(&keep, &error))?;
        }
        Ok(run)
    }

    fn lags(&self, unbloat: &Path) -> Result<Vec<f64>, String> {
        let mut lags = Vec::new();
        for turn in 1..=self.runs {
            eprintln!("{SPREAD}: {turn} of {}", self.runs);
            lags.extend(self.outcome(&case::MODEM, unbloat)?.measurement.lag_ms);
        }
        Ok(lags)
    }

    fn print(&self, results: &Results) -> Result<(), String> {
        let format = Format::asked(self.json, self.markdown);
        if format == Format::Json {
            return print_json(results);
        }
        println!("Measured on {}.\n", machine::processor());
        summary::print(results, format, self.allow_starved);
        Ok(())
    }
}
