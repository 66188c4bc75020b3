//! The kernel's own queues as the judge of `unbloat test`: random paths made of network namespaces,
//! shaped by the kernel's HTB, TBF, FIFOs and nftables.

mod busy;
mod delay;
pub(crate) mod draw;
mod facts;
mod judge;
mod named;
mod names;
pub(crate) mod network;
pub(crate) mod path;
pub(crate) mod probes;
mod run_case;
mod shape;
mod summary;
pub(crate) mod traffic;
mod watch;

use std::fs;
use std::path::{Path as File, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::machine;
use crate::measure;
use crate::table::{Format, print_json};
use path::Path;
use run_case::Run;
use summary::Results;

/// The longest time of a path in seconds, with its test and the waits before and after it.
const PATIENCE: u32 = 150;

/// The options of `bench truth`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Number of paths.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    paths: u64,
    /// Seed from which the paths are drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run one path at a time, since paths disturb each other [default: two at a time]
    #[arg(long)]
    serial: bool,
    /// Only the paths of these numbers.
    #[arg(long, value_name = "INDEX", num_args = 1..)]
    only: Vec<u64>,
    /// The paths of statements that were false once (docs/diagnosis.md), all or those of these names, instead of
    /// random ones.
    #[arg(long, value_name = "NAME", num_args = 0.., conflicts_with_all = ["paths", "seed", "only"])]
    named: Option<Vec<String>>,
    /// Print the paths, and run nothing.
    #[arg(long)]
    list: bool,
    /// Program that is judged [default: that which was built beside this one]
    #[arg(long, value_name = "FILE")]
    unbloat: Option<PathBuf>,
    /// Keep the observations, the statements and the truth of each path in files in this folder.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Judge the runs that were kept in this folder, and run nothing.
    #[arg(long, value_name = "FOLDER", conflicts_with = "keep")]
    kept: Option<PathBuf>,
    /// Let the program judge the kept observations again.
    #[arg(long, requires = "kept")]
    again: bool,
    /// Fail if more than this part of the statements, 0 to 1, is false, or if a path had no result.
    #[arg(long, value_name = "PART", value_parser = part)]
    fail_if_false: Option<f64>,
    /// Write one JSON document.
    #[arg(long)]
    json: bool,
    /// Write the tables of docs/accuracy.md.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// The options of the process of one path.
#[derive(clap::Args)]
pub(crate) struct ChildSettings {
    /// Path as JSON.
    path: String,
    /// Program that is judged.
    unbloat: PathBuf,
    /// File in which the program keeps its observations.
    observations: Option<PathBuf>,
}

/// Runs all paths, judges them, and prints the results.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let paths = settings.wanted()?;
    if settings.list {
        paths.iter().for_each(|path| println!("{path}"));
        return Ok(());
    }
    let runs = match &settings.kept {
        Some(folder) => {
            let runs = kept(folder, &settings.only)?;
            if settings.again {
                again(folder, &program(settings.unbloat.as_deref())?, runs)
            } else {
                runs
            }
        }
        None => settings.runs(&paths)?,
    };
    let mut results = Results { judged: Vec::new(), failed: Vec::new(), paths: Vec::new() };
    for (path, run) in runs {
        match run {
            Ok(run) => {
                results.judged.extend(judge::judge(&run));
                results.paths.push(path);
            }
            Err(why) => results.failed.push((path, why)),
        }
    }
    settings.print(&results)?;
    settings.conclude(&results)
}

/// Runs one path and prints the result, for [`run`].
pub(crate) fn child(settings: &ChildSettings) -> Result<(), String> {
    let path: Path = serde_json::from_str(&settings.path).map_err(|error| error.to_string())?;
    let observations = settings.observations.as_deref();
    print_json(&run_case::run(&path, &settings.unbloat, observations)?)
}

/// A path in a line, and its result.
type PathOutcome = (String, Result<Run, String>);

/// The kept runs, in the order of the files' names.
fn kept(folder: &File, only: &[u64]) -> Result<Vec<PathOutcome>, String> {
    let wrong = |path: &File, why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let entries = fs::read_dir(folder).map_err(|error| wrong(folder, &error))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: PathBuf| -> PathOutcome {
        let text = fs::read(&file).map_err(|error| error.to_string());
        let run = text.and_then(|text| {
            serde_json::from_slice::<Run>(&text).map_err(|error| error.to_string())
        });
        let name =
            run.as_ref().map_or_else(|_| file.display().to_string(), |run| run.path.to_string());
        (name, run)
    };
    let wanted = |run: &PathOutcome| {
        let index = run.1.as_ref().map(|run| run.path.index);
        only.is_empty() || index.is_ok_and(|index| only.contains(&index))
    };
    let runs: Vec<PathOutcome> = files.into_iter().map(read).filter(wanted).collect();
    if runs.is_empty() { Err(wrong(folder, &"no such path was kept here")) } else { Ok(runs) }
}

/// A number from 0 to 1.
fn part(text: &str) -> Result<f64, String> {
    let part = text.parse::<f64>().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "it is a part, from 0 to 1".into())
}

/// The file in which a path's observations are kept.
fn observations(folder: &File, path: &Path) -> PathBuf {
    folder.join(format!("{}.observations.json.gz", path.key()))
}

/// The runs with the program's judgement of today on the observations that were kept.
fn again(folder: &File, unbloat: &File, runs: Vec<PathOutcome>) -> Vec<PathOutcome> {
    let judge = |mut run: Run| {
        if run.said.is_some() {
            let file = observations(folder, &run.path);
            let said = Command::new(unbloat).args(["report", "--json"]).arg(&file).output();
            let said = said.map_err(|error| error.to_string())?;
            run.said = Some(serde_json::from_slice(&said.stdout).map_err(|error| {
                format!("{}: {error}: {}", file.display(), String::from_utf8_lossy(&said.stderr))
            })?);
        }
        Ok(run)
    };
    runs.into_iter().map(|(path, run)| (path, run.and_then(judge))).collect()
}

impl Settings {
    /// The paths that are asked for.
    fn wanted(&self) -> Result<Vec<Path>, String> {
        match &self.named {
            Some(names) => named::paths(names),
            None if self.only.is_empty() => {
                Ok((0..self.paths).map(|index| draw::path(self.seed, index)).collect())
            }
            None => Ok(self.only.iter().map(|index| draw::path(self.seed, *index)).collect()),
        }
    }

    /// Runs all paths, in parallel unless `serial` forbids it.
    fn runs(&self, paths: &[Path]) -> Result<Vec<PathOutcome>, String> {
        let unbloat = program(self.unbloat.as_deref())?;
        if let Some(keep) = &self.keep {
            fs::create_dir_all(keep).map_err(|error| format!("{}: {error}", keep.display()))?;
        }
        measure::go_first();
        say_what_is_missing();
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        let worker = || {
            while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                eprintln!("{path}");
                let run = self.in_child(path, &unbloat);
                if let Ok(mut done) = done.lock() {
                    done.push((path.index, (path.to_string(), run)));
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..if self.serial { 1 } else { 2 } {
                scope.spawn(worker);
            }
        });
        let mut done = done.into_inner().map_err(|error| error.to_string())?;
        done.sort_by_key(|(index, _)| *index);
        Ok(done.into_iter().map(|(_, outcome)| outcome).collect())
    }

    /// Runs a path in a child process.
    fn in_child(&self, path: &Path, unbloat: &File) -> Result<Run, String> {
        let mut command = isolated("truth-child", PATIENCE)?;
        command.arg(serde_json::to_string(path).map_err(|error| error.to_string())?).arg(unbloat);
        command.args(self.keep.iter().map(|folder| observations(folder, path)));
        let output = command.output().map_err(|error| format!("setpriv: {error}"))?;
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}: {}", output.status, complaint.trim()));
        }
        if let Some(folder) = &self.keep {
            let file = folder.join(format!("{}.json", path.key()));
            fs::write(&file, &output.stdout)
                .map_err(|error| format!("{}: {error}", file.display()))?;
        }
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
    }

    fn print(&self, results: &Results) -> Result<(), String> {
        let format = Format::asked(self.json, self.markdown);
        if format == Format::Json {
            return print_json(results);
        }
        println!("Measured on {}.", machine::processor());
        summary::print(results, format);
        Ok(())
    }

    fn conclude(&self, results: &Results) -> Result<(), String> {
        let tally = results.tally();
        if tally.unknown > 0 {
            return Err(format!("{} statements have unknown names", tally.unknown));
        }
        let Some(most) = self.fail_if_false else { return Ok(()) };
        if !results.failed.is_empty() {
            return Err(format!("{} paths came to nothing", results.failed.len()));
        }
        match tally.part_false() {
            None => Err("nothing was said that could be judged".into()),
            Some(part) if part > most => {
                Err(format!("{part:.3} of the statements are false, which is more than {most}"))
            }
            Some(_) => Ok(()),
        }
    }
}

/// The program that is judged: the one that is named, or that beside this one.
pub(crate) fn program(named: Option<&File>) -> Result<PathBuf, String> {
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("unbloat"));
    let program = named.map(File::to_owned).or_else(beside).filter(|program| program.is_file());
    program.ok_or_else(|| "there is no unbloat beside this program; name it: --unbloat".into())
}

/// The command of a verb of this program in a child process, which ends after so many seconds, with everything
/// that it starts in a PID namespace of its own. The child ends with this program, however that ends, and its
/// network namespaces with it.
pub(crate) fn isolated(verb: &str, patience: u32) -> Result<Command, String> {
    if !rustix::process::geteuid().is_root() {
        return Err("namespaces, tc and nft need root: run it as root".into());
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "timeout", "--signal=KILL", &patience.to_string()]);
    command.args(["setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork"]);
    command.args(["--mount-proc", "--kill-child=KILL"]).arg(program).arg(verb);
    Ok(command)
}

/// Prints the queues that a kernel may have and this one lacks, so that no path has them.
fn say_what_is_missing() {
    eprintln!(
        "No path has fq_codel, CAKE or another AQM: what such a kernel's would add is drawn nowhere \
         yet. Delays are those of a delay line of this program, not of netem."
    );
}
