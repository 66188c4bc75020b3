//! `unbloat report`: draws results made earlier.

use std::path::{Path, PathBuf};

use report::Page;

use crate::args::ReportArgs;
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files;
use crate::interrupt;
use crate::kept::{self, Kept, Wanted};
use crate::output::print;
#[cfg(feature = "simulate")]
use crate::plots;
#[cfg(all(feature = "watch", target_os = "linux"))]
use crate::{staged::Staged, watch};

/// The name of the page's file if `--out` is not given.
const PAGE: &str = "report.html";

/// Runs `unbloat report` with these arguments.
pub(crate) fn report(args: &ReportArgs) -> Result<(), Failure> {
    #[cfg(all(feature = "watch", target_os = "linux"))]
    if let [folder] = &args.files[..]
        && watch::page::is_store(folder)
    {
        return watched(args, folder);
    }
    if !args.target.is_empty() {
        let wrong = "--target is for the folder of a watch (unbloat watch --store) alone";
        return Err(Failure::Input(wrong.into()));
    }
    #[cfg(feature = "simulate")]
    if plots::is_sweep(args) {
        return plots::report(args, PAGE);
    }
    check_folders(&args.files)?;
    #[cfg(feature = "simulate")]
    plots::check_none(args)?;
    if args.json {
        return json(&args.files);
    }
    let default = args.plot.plot.is_none().then(|| PathBuf::from(PAGE));
    let out = args.out.clone().or(default);
    let read: Vec<&Path> = args.files.iter().map(PathBuf::as_path).collect();
    let written = [("--out", out.as_deref()), ("--plot", args.plot.plot.as_deref())];
    files::all_differ(&read, &written)?;
    let page = page(&args.files)?;
    if args.plot.plot.is_some() && page.figures.is_empty() {
        let wrong = "this result has nothing to plot; `unbloat reproduce NAME --plot FILE` draws \
                     the figures of a paper";
        return Err(Failure::Input(wrong.into()));
    }
    // Before any output is opened.
    interrupt::watch()?;
    let known: Vec<&str> = page.figures.iter().map(|figure| figure.id.as_str()).collect();
    let drawings = Drawings::create(out.as_deref(), &args.plot, &known)?;
    drawings.draw(&page)?;
    drawings.telling(args.volume.quiet).commit()
}

/// Fails if there is a folder among the files: that of a watch is drawn alone, and others not at all.
fn check_folders(files: &[PathBuf]) -> Result<(), Failure> {
    #[cfg(all(feature = "watch", target_os = "linux"))]
    if let Some(folder) = files.iter().find(|file| watch::page::is_store(file)) {
        let folder = folder.display();
        return Err(Failure::Input(format!(
            "{folder} is the folder of a watch, which is drawn on a page of its own: name it alone"
        )));
    }
    match files.iter().find(|file| file.is_dir()) {
        None => Ok(()),
        Some(folder) => Err(Failure::Input(format!(
            "{} is a folder with nothing to draw: neither `unbloat sweep` nor `unbloat watch \
             --store` wrote into it",
            folder.display()
        ))),
    }
}

/// The page of a watch, or its document.
#[cfg(all(feature = "watch", target_os = "linux"))]
fn watched(args: &ReportArgs, folder: &Path) -> Result<(), Failure> {
    if args.plot.plot.is_some() {
        return Err(Failure::Input("a watch is drawn on a page alone; leave out --plot".into()));
    }
    let report = watch::page::whole(folder, &args.target)?;
    if args.json {
        return print(&report::json(&report));
    }
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(PAGE));
    interrupt::watch()?;
    let file = Staged::create(&out)?;
    file.write(watch::page::file(&report).as_bytes())?;
    file.commit()?;
    if !args.volume.quiet {
        crate::message::note(format_args!("wrote {}", out.display()));
    }
    Ok(())
}

/// Prints the measurement in the only file. A recording is judged anew with today's rules.
fn json(files: &[PathBuf]) -> Result<(), Failure> {
    let [file] = files else {
        return Err(Failure::Input("--json prints one measurement; name one file".into()));
    };
    let measurement = kept::measurement(file, "--json prints measurements of a path alone")?;
    print(&report::json(&report::told(*measurement)))
}

/// A page about all of these files.
fn page(files: &[PathBuf]) -> Result<Page, Failure> {
    let mut kept = Vec::new();
    for file in files {
        kept.push(Kept::load(file, Wanted::Drawable)?);
    }
    if let [Kept::Measurement(before), Kept::Measurement(after)] = &kept[..] {
        return Ok(report::before_and_after_page(before, after));
    }
    let mut runs = Vec::new();
    for (file, kept) in files.iter().zip(kept) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match kept {
            Kept::Result(document) => runs.push((name, *document)),
            Kept::Comparison(comparison) => {
                let prefix = if files.len() > 1 { format!("{name}: ") } else { String::new() };
                let labelled =
                    |run: results::ComparedRun| (prefix.clone() + &run.queue, run.result);
                runs.extend(comparison.runs.into_iter().map(labelled));
            }
            Kept::Agreement(agreement) if files.len() == 1 => {
                return Ok(report::agreement_page(&agreement));
            }
            Kept::Agreement(agreement) => {
                runs.push((format!("{name}: lab"), agreement.lab));
                runs.push((format!("{name}: sim"), agreement.sim));
            }
            Kept::Reproduction(reproduction) if files.len() == 1 => {
                return Ok(report::reproduction_page(&reproduction, Vec::new()));
            }
            Kept::Characterisation(document) if files.len() == 1 => {
                return Ok(report::characterisation_page(&document));
            }
            Kept::Responsiveness(found) if files.len() == 1 => {
                return Ok(report::responsiveness_page(&found));
            }
            Kept::Measurement(measurement) if files.len() == 1 => {
                return Ok(report::measurement_page(&measurement));
            }
            Kept::Plan(plan) if files.len() == 1 => return Ok(report::plan_page(&plan)),
            Kept::Treatment(treatment) if files.len() == 1 => {
                return Ok(report::treatment_page(&treatment));
            }
            Kept::Plan(_) | Kept::Treatment(_) => {
                return Err(alone(file, "a plan or its outcome"));
            }
            Kept::Reproduction(_) | Kept::Characterisation(_) => {
                return Err(alone(file, "a paper's reproduction"));
            }
            Kept::Measurement(_) => {
                let file = file.display();
                return Err(Failure::Input(format!(
                    "{file} is a measurement of a path: name it alone, or two measurements, before \
                     and after a change"
                )));
            }
            Kept::Responsiveness(_) => return Err(alone(file, "a measurement of a path")),
        }
    }
    Ok(report::page(&runs))
}

/// The failure for a result that cannot be drawn together with others.
fn alone(file: &Path, what: &str) -> Failure {
    let file = file.display();
    Failure::Input(format!("{file} is {what}, which is drawn on a page of its own"))
}
