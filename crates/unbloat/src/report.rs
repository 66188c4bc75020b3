//! `unbloat report`: draws results made earlier.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use report::{ForeignError, LARGEST, Page, flent, irtt, printable};
use results::{
    Agreement, Characterisation, Comparison, Document, Measurement, Recording, Reproduction,
    Responsiveness,
};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::args::ReportArgs;
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files;
use crate::interrupt;
use crate::judged;
use crate::message::note;
use crate::output::print;
#[cfg(feature = "simulate")]
use crate::plots;

/// The name of the page's file if `--out` is not given.
const PAGE: &str = "report.html";

/// Runs `unbloat report` with these arguments.
pub(crate) fn report(args: &ReportArgs) -> Result<(), Failure> {
    #[cfg(feature = "simulate")]
    if plots::is_sweep(args) {
        return plots::report(args, PAGE);
    }
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
        let wrong = "there is nothing to plot in what was kept; a paper's figures are drawn by \
                     `unbloat reproduce NAME --plot FILE`";
        return Err(Failure::Input(wrong.into()));
    }
    // Before any output is opened.
    interrupt::watch()?;
    let known: Vec<&str> = page.figures.iter().map(|figure| figure.id.as_str()).collect();
    let drawings = Drawings::create(out.as_deref(), &args.plot, &known)?;
    drawings.draw(&page)?;
    drawings.commit()?;
    if !args.volume.quiet {
        let written = written.into_iter().filter_map(|(_, file)| Some(file?.display().to_string()));
        note(format_args!("wrote {}", written.collect::<Vec<_>>().join(" and ")));
    }
    Ok(())
}

/// Prints the measurement in the only file. A recording is judged anew with today's rules.
fn json(files: &[PathBuf]) -> Result<(), Failure> {
    let [file] = files else {
        return Err(Failure::Input("--json prints one measurement; name one file".into()));
    };
    match Kept::load(file)? {
        Kept::Measurement(measurement) => print(&report::json(&report::told(*measurement))),
        _ => Err(unfit(file, "--json prints measurements of a path alone")),
    }
}

/// A file that this program wrote earlier, or one of another program in a known format.
enum Kept {
    Result(Box<Document>),
    Comparison(Comparison),
    Agreement(Box<Agreement>),
    Reproduction(Reproduction),
    Characterisation(Box<Characterisation>),
    Measurement(Box<Measurement>),
    Responsiveness(Box<Responsiveness>),
}

/// A page about all of these files.
fn page(files: &[PathBuf]) -> Result<Page, Failure> {
    let mut runs = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match Kept::load(file)? {
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
            Kept::Reproduction(_) | Kept::Characterisation(_) => {
                return Err(alone(file, "a paper repeated"));
            }
            Kept::Measurement(_) | Kept::Responsiveness(_) => {
                return Err(alone(file, "a measurement of a path"));
            }
        }
    }
    Ok(report::page(&runs))
}

/// The failure for a result that cannot be drawn together with others.
fn alone(file: &Path, what: &str) -> Failure {
    let file = file.display();
    Failure::Input(format!("{file} is {what}, which is drawn on a page of its own"))
}

impl Kept {
    fn load(file: &Path) -> Result<Self, Failure> {
        let bytes = read(file)?;
        let text = report::unpacked(&bytes).map_err(|error| foreign(file, error))?;
        let header = Header::of(file, &text)?;
        match header.schema.as_deref() {
            Some("unbloat.result") => {
                let document: Box<Document> = parse(file, &text)?;
                check(file, &document)?;
                Ok(Self::Result(document))
            }
            Some("unbloat.comparison") => {
                let comparison: Comparison = parse(file, &text)?;
                comparison.runs.iter().try_for_each(|run| check(file, &run.result))?;
                Ok(Self::Comparison(comparison))
            }
            Some("unbloat.agreement") => {
                let agreement: Box<Agreement> = parse(file, &text)?;
                [&agreement.lab, &agreement.sim]
                    .into_iter()
                    .try_for_each(|run| check(file, run))?;
                Ok(Self::Agreement(agreement))
            }
            Some("unbloat.reproduction") => Ok(Self::Reproduction(parse(file, &text)?)),
            Some("unbloat.characterisation") => {
                Ok(Self::Characterisation(Box::new(parse(file, &text)?)))
            }
            Some("unbloat.observations") => {
                let recording: Recording = parse(file, &text)?;
                Ok(Self::Measurement(Box::new(judged::measurement(&recording))))
            }
            Some("unbloat.responsiveness") => {
                Ok(Self::Responsiveness(Box::new(parse(file, &text)?)))
            }
            Some("unbloat.measurement") => Ok(Self::Measurement(Box::new(parse(file, &text)?))),
            Some(other) => {
                let other = printable(other);
                Err(unfit(file, format_args!("`{other}` is no result that can be drawn")))
            }
            None if header.x_values.is_some() => {
                let read = flent::read(text.as_bytes()).map_err(|error| foreign(file, error))?;
                Ok(Self::Measurement(Box::new(read)))
            }
            None if header.round_trips.is_some() => {
                let read = irtt::read(text.as_bytes()).map_err(|error| foreign(file, error))?;
                Ok(Self::Measurement(Box::new(read)))
            }
            None => Err(unfit(file, "this JSON has no `schema`, so it is no result of ours")),
        }
    }
}

/// The keys that tell one kind of document from another.
#[derive(Default, Deserialize)]
struct Header {
    /// Present in documents of this program.
    schema: Option<String>,
    /// Present in documents of Flent.
    x_values: Option<IgnoredAny>,
    /// Present in documents of irtt.
    round_trips: Option<IgnoredAny>,
}

impl Header {
    /// The header of any JSON document; empty if its keys have other types. Mistakes in this
    /// program's documents are reported when the whole is parsed.
    fn of(file: &Path, text: &str) -> Result<Self, Failure> {
        match serde_json::from_str(text) {
            Err(error) if error.is_data() => Ok(Self::default()),
            header => header.map_err(|error| misread(file, &error)),
        }
    }
}

/// The whole file. Fails if it is empty or larger than any result.
fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut read = || File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes);
    match read() {
        Ok(0) => Err(unfit(file, "the file is empty")),
        Ok(length) if length as u64 > LARGEST => {
            Err(unfit(file, "it is larger than 128 MiB, which no result is"))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::IsADirectory => Failure::Input(format!(
                "{}: it is a folder, and no sweep's: it has no sweep.json",
                file.display()
            )),
            _ => Failure::Input(format!("cannot read {}: {error}", file.display())),
        }),
    }
}

fn parse<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| misread(file, &error))
}

/// The files that can be drawn, in the words of an error.
const WANTED: &str = "wanted is what `unbloat sim FILE --json` or `unbloat test HOST --json` prints, or a \
                      file of Flent's or irtt's";

/// The failure for a file that cannot be read, as `file:line:column: message`; for text that is not
/// JSON, also which files can be drawn.
fn misread(file: &Path, error: &serde_json::Error) -> Failure {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let (file, line, column) = (file.display(), error.line(), error.column());
    let wanted = if error.is_data() { String::new() } else { format!("; {WANTED}") };
    Failure::Input(format!("{file}:{line}:{column}: {}{wanted}", printable(message)))
}

/// The failure for another program's file: with a place `file:place: message`, without
/// `file: message`.
fn foreign(file: &Path, error: ForeignError) -> Failure {
    let between = if error.place.is_some() { ":" } else { ": " };
    Failure::Input(format!("{}{between}{error}", file.display()))
}

fn check(file: &Path, document: &Document) -> Result<(), Failure> {
    let wrong = |why: String| Failure::Input(format!("{}: {}", file.display(), printable(&why)));
    document.check().map_err(wrong)
}

/// The failure for a file that cannot be drawn, with a list of those that can.
fn unfit(file: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("{}: {why}; {WANTED}", file.display()))
}
