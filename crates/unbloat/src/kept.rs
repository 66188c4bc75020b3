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
use crate::judged;

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
    /// If the file cannot be read, or is no result that can be drawn.
    pub(crate) fn load(file: &Path) -> Result<Self, Failure> {
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
            Some("unbloat.plan") => Ok(Self::Plan(Box::new(parse(file, &text)?))),
            Some("unbloat.treatment") => Ok(Self::Treatment(Box::new(parse(file, &text)?))),
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
const WANTED: &str = "wanted is what `unbloat sim FILE --json`, `unbloat test HOST --json` or `unbloat fix \
                      ... --json` prints, or a file of Flent's or irtt's";

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
pub(crate) fn unfit(file: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("{}: {why}; {WANTED}", file.display()))
}
