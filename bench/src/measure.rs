//! How true `unbloat test` is: over paths of the lab, whose queues tell the truth.

mod case;
mod course;
mod judge;
mod moment;
mod score;
mod summary;
mod truth;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine;
use crate::table::Format;
use case::Case;
use course::Run;
use judge::Judged;

/// What `bench measure` can be told.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Only these cases [default: all]
    cases: Vec<String>,
    /// Only a few cases, for a first look.
    #[arg(long, conflicts_with = "cases")]
    quick: bool,
    /// How often the case `modem` is run to see how much our number varies; 0 for not at all.
    #[arg(long, default_value_t = 10, value_name = "RUNS")]
    spread: u32,
    /// The program that is judged [default: that which was built beside this one]
    #[arg(long, value_name = "FILE")]
    unbloat: Option<PathBuf>,
    /// Counts runs in which the lab did not keep time.
    #[arg(long)]
    allow_starved: bool,
    /// Keeps of each case what was measured, and each probe as the queues saw it, in this folder.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
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

/// What one run in a process of its own is told.
#[derive(clap::Args)]
pub(crate) struct ChildSettings {
    /// Which case.
    case: String,
    /// The program that is judged.
    unbloat: PathBuf,
    /// Where its datagrams are written to.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Further options for the test.
    #[arg(long, allow_hyphen_values = true)]
    test: Vec<String>,
}

/// A run of a case: judged, or why there is nothing to be judged.
type Outcome = Result<Run, String>;

/// Runs all cases, one after the other, and prints what came of them.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let cases = settings.cases()?;
    let unbloat = settings.unbloat()?;
    if let Some(keep) = &settings.keep {
        fs::create_dir_all(keep).map_err(|error| format!("{}: {error}", keep.display()))?;
    }
    let mut judged = Vec::new();
    let mut failed = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        eprintln!("{} of {}: {}", index + 1, cases.len(), case.name);
        match settings.outcome(case, &unbloat) {
            Ok(run) => judged.extend(judge::judge(case, &run)),
            Err(why) => failed.push((case.name, why)),
        }
    }
    let lags = settings.lags(&unbloat)?;
    settings.print(&judged, &failed, &lags)
}

/// One run, printed for [`run`]: taking namespaces needs a process of one thread.
pub(crate) fn child(settings: &ChildSettings) -> Result<(), String> {
    let cases = case::cases();
    let case = cases.iter().find(|case| case.name == settings.case).ok_or("no such case")?;
    let run = course::run(case, &settings.unbloat, &settings.test, settings.keep.as_deref())?;
    serde_json::to_writer(std::io::stdout().lock(), &run).map_err(|error| error.to_string())
}

impl Settings {
    fn cases(&self) -> Result<Vec<Case>, String> {
        let all = case::cases();
        if self.quick {
            return Ok(all.into_iter().filter(|it| case::QUICK.contains(&it.name)).collect());
        }
        let unknown = self.cases.iter().find(|name| all.iter().all(|case| case.name != **name));
        if let Some(name) = unknown {
            let names: Vec<&str> = all.iter().map(|case| case.name).collect();
            return Err(format!("there is no case `{name}`; there are: {}", names.join("; ")));
        }
        let wanted =
            |case: &Case| self.cases.is_empty() || self.cases.iter().any(|n| n == case.name);
        Ok(all.into_iter().filter(wanted).collect())
    }

    fn unbloat(&self) -> Result<PathBuf, String> {
        let beside = || Some(std::env::current_exe().ok()?.with_file_name("unbloat"));
        let program = self.unbloat.clone().or_else(beside).filter(|program| program.is_file());
        program.ok_or_else(|| "there is no unbloat beside this program; name it: --unbloat".into())
    }

    fn outcome(&self, case: &Case, unbloat: &Path) -> Outcome {
        let file = |extension: &str| {
            let name = case.name.replace([' ', ','], "-");
            self.keep.as_ref().map(|keep| keep.join(name).with_extension(extension))
        };
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.arg("measure-child").arg(case.name).arg(unbloat);
        if let Some(file) = file("csv") {
            command.arg("--keep").arg(file);
        }
        self.test.iter().for_each(|word| {
            command.arg(format!("--test={word}"));
        });
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().into());
        }
        if let Some(file) = file("json") {
            fs::write(&file, &output.stdout)
                .map_err(|error| format!("{}: {error}", file.display()))?;
        }
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
    }

    /// Our number in each of some runs of the same case, if all cases are asked for.
    fn lags(&self, unbloat: &Path) -> Result<Vec<f64>, String> {
        if self.quick || !self.cases.is_empty() {
            return Ok(Vec::new());
        }
        let mut lags = Vec::new();
        for turn in 1..=self.spread {
            eprintln!("the spread: {turn} of {}", self.spread);
            let run = self.outcome(&case::MODEM, unbloat)?;
            lags.extend(run.measurement.lag_ms);
        }
        Ok(lags)
    }

    fn print(
        &self,
        judged: &[Judged],
        failed: &[(&str, String)],
        lags: &[f64],
    ) -> Result<(), String> {
        let format = match (self.json, self.markdown) {
            (true, _) => Format::Json,
            (_, true) => Format::Markdown,
            _ => Format::Text,
        };
        if format == Format::Json {
            let json = serde_json::to_string_pretty(&(judged, failed, lags));
            println!("{}", json.map_err(|error| error.to_string())?);
            return Ok(());
        }
        println!("Measured on {}.\n", machine::processor());
        summary::print(judged, lags, format, self.allow_starved);
        for (case, why) in failed {
            println!("{case}: {why}");
        }
        Ok(())
    }
}
