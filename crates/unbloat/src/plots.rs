//! `unbloat report DIR`: plots of the runs that a sweep kept.

use std::path::{Path, PathBuf};

use ::sweep::Error;
use report::{PlotError, PlotKind, RunsPlot};

use crate::args::{PlotArgs, ReportArgs};
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files;
use crate::interrupt;

/// The file by which the folder of a sweep is recognised.
const MANIFEST: &str = "sweep.json";

/// True if one of the arguments is the folder of a sweep.
pub(crate) fn is_sweep(args: &ReportArgs) -> bool {
    args.files.iter().any(|file| file.join(MANIFEST).exists())
}

/// Fails if an option was given that applies to sweeps only.
pub(crate) fn check_none(args: &ReportArgs) -> Result<(), Failure> {
    let asked = [("--x", &args.x), ("--y", &args.y), ("--by", &args.by)];
    let asked = asked.into_iter().find(|(_, value)| value.is_some()).map(|(option, _)| option);
    match asked.or(kind(args).map(|_| "--plot KIND")) {
        None => Ok(()),
        Some(option) => {
            let missing = args.files.iter().find(|file| !file.exists());
            let wrong = match missing {
                Some(folder) => format!("there is no {}", folder.display()),
                None => format!("{option} is about the runs of a sweep"),
            };
            Err(Failure::Input(format!("{wrong}: name the folder that `unbloat sweep` wrote")))
        }
    }
}

/// Runs `unbloat report` on the folder of a sweep.
pub(crate) fn report(args: &ReportArgs, page: &str) -> Result<(), Failure> {
    let [folder] = &args.files[..] else {
        let wrong = "the runs of a sweep are drawn on a page of their own: name only its folder";
        return Err(Failure::Input(wrong.into()));
    };
    let PlotFiles { page, picture } = PlotFiles::of(args, page)?;
    let written = [("--out", page.as_deref()), ("--plot", picture.as_deref())];
    files::all_differ(&[folder], &written)?;
    let there = ::sweep::read_folder(folder).map_err(|error| match error {
        Error::Folder(message) | Error::Taken(message) => Failure::Input(message),
        Error::Disk(message) => Failure::Run(message),
    })?;
    let lacking = report::runs_lacking(&there.summary(folder, Vec::new()));
    let runs = there.runs;
    if runs.index.is_empty() {
        let folder = folder.display();
        return Err(Failure::Input(format!("{folder} has no successful run yet")));
    }
    let [x, y, by] = [&args.x, &args.y, &args.by].map(Clone::clone);
    let wish = RunsPlot { kind: kind(args), x, y, by };
    let figures = report::runs_figures(&runs, &wish).map_err(|error| refused(&error))?;
    // Before any output is opened.
    interrupt::watch()?;
    let plot = PlotArgs { plot: picture.clone(), only: args.plot.only.clone() };
    let drawings = Drawings::create(page.as_deref(), &plot, &[])?;
    let mut page = report::runs_page(&runs, figures);
    page.verdict.extend(lacking);
    drawings.draw(&page)?;
    drawings.telling(args.volume.quiet).commit()
}

/// The kind of plot, where `--plot` names one instead of a file; `None` otherwise.
fn kind(args: &ReportArgs) -> Option<PlotKind> {
    PlotKind::named(args.plot.plot.as_deref()?.to_str()?)
}

/// The failure for a plot error. An error that begins with an option's name gets the option's
/// dashes.
fn refused(error: &PlotError) -> Failure {
    let error = error.to_string();
    let is_option = ["x: ", "y: ", "by: "].iter().any(|option| error.starts_with(option));
    Failure::Input(if is_option { format!("--{error}") } else { format!("--plot: {error}") })
}

/// The files that are drawn into.
struct PlotFiles {
    page: Option<PathBuf>,
    picture: Option<PathBuf>,
}

impl PlotFiles {
    /// The files that the options name. With `--plot KIND`, the file of `--out` may be a page or a
    /// picture; without `--out` it is `KIND.svg`. Otherwise the options mean what they mean for
    /// other results.
    fn of(args: &ReportArgs, page: &str) -> Result<Self, Failure> {
        let plot = args.plot.plot.clone();
        if kind(args).is_none() {
            if let Some(strange) = plot.as_ref().filter(|plot| plot.extension().is_none()) {
                let kinds = PlotKind::NAMES.map(|(name, _)| name).join(", ");
                let strange = strange.display();
                return Err(Failure::Input(format!(
                    "--plot {strange}: of a sweep there are the plots {kinds}; a file's name ends \
                     in .svg or .png"
                )));
            }
            let is_picture = |out: &Path| {
                out.extension().is_some_and(|ending| ending == "svg" || ending == "png")
            };
            if let Some(out) = args.out.as_deref().filter(|out| plot.is_none() && is_picture(out)) {
                let (out, kinds) =
                    (out.display(), PlotKind::NAMES.map(|(name, _)| name).join(", "));
                return Err(Failure::Input(format!(
                    "--out {out}: the name of a page must end in .html. A picture has one kind of \
                     plot, such as --plot box --out {out} (choose among {kinds}), or all of them: \
                     --plot {out}"
                )));
            }
            let usual = plot.is_none().then(|| PathBuf::from(page));
            return Ok(PlotFiles { page: args.out.clone().or(usual), picture: plot });
        }
        let usual = || plot.map(|kind| kind.with_extension("svg"));
        let Some(out) = args.out.clone().or_else(usual) else {
            return Ok(PlotFiles { page: None, picture: None });
        };
        let ends = |ending: &str| Path::extension(&out).is_some_and(|found| found == ending);
        match (ends("html"), ends("svg") || ends("png")) {
            (true, _) => Ok(PlotFiles { page: Some(out), picture: None }),
            (_, true) => Ok(PlotFiles { page: None, picture: Some(out) }),
            _ => Err(Failure::Input(format!(
                "--out {}: the name of a plot must end in .svg, .png or .html",
                out.display()
            ))),
        }
    }
}
