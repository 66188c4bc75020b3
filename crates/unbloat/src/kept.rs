//! Results in files: what this program wrote earlier, and what others wrote in known formats.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use report::{ForeignError, LARGEST, flent, irtt, printable};
use results::{
    Agreement, Characterisation, Comparison, Document, Measurement, Plan, Recording, Reproduction,
    Responsiveness, Treatment,
};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::failure::Failure;

/// A file that this program wrote earlier, or one of another program in a known format.
pub(crate) enum Kept {
    Result(Box<Document>),
    Comparison(Comparison),
    Agreement(Box<Agreement>),
    Reproduction(Reproduction),
    Characterisation(Box<Characterisation>),
    Measurement(Box<Measurement>),
    Responsiveness(Box<Responsiveness>),
    Plan(Box<Plan>),
    Treatment(Box<Treatment>),
}

impl Kept {
    /// The result in a file.
    ///
    /// # Errors
    /// If the file cannot be read, or is no result that can be drawn; `wanted` says what the verb takes.
    pub(crate) fn load(file: &Path, wanted: Wanted) -> Result<Self, Failure> {
        let bytes = read(file, wanted)?;
        let text = report::unpacked(&bytes).map_err(|error| foreign(file, error))?;
        let header = Header::of(file, &text, wanted)?;
        match header.schema.as_deref() {
            Some("unbloat.result") => {
                let document: Box<Document> = parse(file, &text, wanted)?;
                check(file, &document)?;
                Ok(Self::Result(document))
            }
            Some("unbloat.comparison") => {
                let comparison: Comparison = parse(file, &text, wanted)?;
                comparison.runs.iter().try_for_each(|run| check(file, &run.result))?;
                Ok(Self::Comparison(comparison))
            }
            Some("unbloat.agreement") => {
                let agreement: Box<Agreement> = parse(file, &text, wanted)?;
                [&agreement.lab, &agreement.sim]
                    .into_iter()
                    .try_for_each(|run| check(file, run))?;
                Ok(Self::Agreement(agreement))
            }
            Some("unbloat.reproduction") => Ok(Self::Reproduction(parse(file, &text, wanted)?)),
            Some("unbloat.characterisation") => {
                Ok(Self::Characterisation(Box::new(parse(file, &text, wanted)?)))
            }
            Some("unbloat.observations") => {
                let recording: Recording = parse(file, &text, wanted)?;
                Ok(Self::Measurement(Box::new(diagnose::recorded(&recording))))
            }
            Some("unbloat.responsiveness") => {
                Ok(Self::Responsiveness(Box::new(parse(file, &text, wanted)?)))
            }
            Some("unbloat.plan") => Ok(Self::Plan(Box::new(parse(file, &text, wanted)?))),
            Some("unbloat.treatment") => Ok(Self::Treatment(Box::new(parse(file, &text, wanted)?))),
            Some("unbloat.measurement") => {
                Ok(Self::Measurement(Box::new(parse(file, &text, wanted)?)))
            }
            Some(other) => {
                let other = printable(other);
                let why = format_args!("`{other}` is no {}", wanted.noun());
                Err(unfit(file, why, wanted))
            }
            None if header.x_values.is_some() => {
                let read = flent::read(text.as_bytes()).map_err(|error| foreign(file, error))?;
                Ok(Self::Measurement(Box::new(read)))
            }
            None if header.round_trips.is_some() => {
                let read = irtt::read(text.as_bytes()).map_err(|error| foreign(file, error))?;
                Ok(Self::Measurement(Box::new(read)))
            }
            None => {
                Err(unfit(file, "this JSON has no `schema`, so it is no result of unbloat", wanted))
            }
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
    fn of(file: &Path, text: &str, wanted: Wanted) -> Result<Self, Failure> {
        match serde_json::from_str(text) {
            Err(error) if error.is_data() => Ok(Self::default()),
            header => header.map_err(|error| misread(file, text, &error, wanted)),
        }
    }
}

/// The whole file. Fails if it is empty or larger than any result.
fn read(file: &Path, wanted: Wanted) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut read = || File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes);
    match read() {
        Ok(0) => Err(unfit(file, "the file is empty", wanted)),
        Ok(length) if length as u64 > LARGEST => {
            Err(unfit(file, "it is larger than 128 MiB, which no result is", wanted))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::IsADirectory => unfit(file, "it is a folder", wanted),
            _ => Failure::reading(format_args!("cannot read {}", file.display()), &error),
        }),
    }
}

fn parse<T: DeserializeOwned>(file: &Path, text: &str, wanted: Wanted) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| misread(file, text, &error, wanted))
}

/// What a verb takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// What can be drawn.
    Drawable,
    /// The measurement of a path.
    Measurement,
}

impl Wanted {
    /// One of them, in the words of an error.
    const fn noun(self) -> &'static str {
        match self {
            Self::Drawable => "result that can be drawn",
            Self::Measurement => "measurement of a path",
        }
    }

    /// All files that the verb takes, in the words of an error.
    const fn files(self) -> &'static str {
        match self {
            Self::Drawable => {
                "wanted is what `unbloat sim FILE --json`, `unbloat test HOST --json` or `unbloat fix ... \
                 --json` prints, or a file of Flent's or irtt's"
            }
            Self::Measurement => {
                "wanted is what `unbloat test HOST --json` prints, or a file of Flent's or irtt's"
            }
        }
    }
}

/// The measurement in a file.
///
/// # Errors
/// If the file has none; `why` says what it is wanted for.
pub(crate) fn measurement(file: &Path, why: &str) -> Result<Box<Measurement>, Failure> {
    match Kept::load(file, Wanted::Measurement)? {
        Kept::Measurement(measurement) => Ok(measurement),
        _ => Err(unfit(file, why, Wanted::Measurement)),
    }
}

/// The failure for a file that cannot be read, as `file:line:column: message`; for text that is not
/// JSON, also which files the verb takes.
fn misread(file: &Path, text: &str, error: &serde_json::Error, wanted: Wanted) -> Failure {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let (file, line, column) = (file.display(), error.line(), error.column());
    if error.is_data() {
        return Failure::Input(format!("{file}:{line}:{column}: {}", printable(message)));
    }
    let wanted = wanted.files();
    match text.trim_start().starts_with(['{', '[']) {
        true => Failure::Input(format!(
            "{file}:{line}:{column}: this JSON is broken: {}; {wanted}",
            printable(message)
        )),
        false => Failure::Input(format!("{file}: this is {}, and no result; {wanted}", kind(text))),
    }
}

/// What a text that is not JSON seems to be.
fn kind(text: &str) -> &'static str {
    let start = text.trim_start();
    let begins =
        |with: &str| start.get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with));
    let is_table = || start.lines().next().is_some_and(|line| line.contains(','));
    match start {
        _ if begins("<!doctype html") || begins("<html") => "a page",
        _ if begins("<svg") || begins("<?xml") => "a picture",
        _ if start.lines().any(|line| line.trim() == "[[link]]") => {
            "a scenario, which `unbloat sim` runs"
        }
        _ if is_table() => "a table",
        _ => "not JSON",
    }
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

/// The failure for a file that the verb does not take, with a list of those that it does.
fn unfit(file: &Path, why: impl std::fmt::Display, wanted: Wanted) -> Failure {
    Failure::Input(format!("{}: {why}; {}", file.display(), wanted.files()))
}
