//! The reading of files: of a scenario's text, and of the traces that it names.

use std::io::{self, Read};
use std::path::Path;
use std::{fs, str};

use crate::ScenarioError;
use crate::source::{Place, Sources};
use crate::tree::Node;

/// The largest file that is read, in bytes.
const LARGEST: usize = 16 << 20;

/// Calls `parse` with the text of the file at `path`, its name, and a function that reads the
/// traces that the file names, whose paths are relative to its folder.
pub(crate) fn from_folder<T>(
    path: &Path,
    parse: impl FnOnce(&str, &str, &dyn Fn(&str) -> io::Result<String>) -> Result<T, ScenarioError>,
) -> Result<T, ScenarioError> {
    let name = path.display().to_string();
    let bytes = read(path).map_err(|error| {
        let message = format!("cannot read the scenario: {error}");
        ScenarioError::of_file(&name, message)
    })?;
    let text = str::from_utf8(&bytes).map_err(|error| not_text(&name, &bytes, error))?;
    if text.trim().is_empty() {
        let message = "the file is empty; docs/sim.md has a scenario of twenty lines to begin with";
        return Err(ScenarioError::of_file(&name, message.into()));
    }
    // What comes from a pipe names its traces as seen from the current folder.
    let folder =
        path.parent().filter(|folder| *folder != Path::new("/dev")).unwrap_or(Path::new(""));
    let read_trace = |trace: &str| {
        let text = String::from_utf8(read(&folder.join(trace))?);
        text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text"))
    };
    parse(text, &name, &read_trace)
}

/// The file as a tree, with its overrides.
pub(crate) fn read_tree(sources: &Sources<'_>) -> Result<Node, ScenarioError> {
    let Sources { name, text, overrides, .. } = sources;
    if text.len() > LARGEST {
        return Err(ScenarioError::of_file(name, too_large()));
    }
    let mut tree = Node::read(text, name).map_err(|fault| fault.into_error(sources, None))?;
    for (index, change) in overrides.iter().enumerate() {
        let source = index + 1;
        change.apply(source, &mut tree).map_err(|message| {
            let place = Place { source, ..Place::START };
            sources.error(place, change.path.clone(), message)
        })?;
    }
    Ok(tree)
}

/// The bytes of the file; an error if it is too large.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, too_large()));
    }
    Ok(bytes)
}

fn too_large() -> String {
    format!("it is larger than {} MiB, the most that is read", LARGEST >> 20)
}

/// The error for a file that is not UTF-8, shown with the text before the first wrong byte.
fn not_text(name: &str, bytes: &[u8], error: str::Utf8Error) -> ScenarioError {
    let end = error.valid_up_to();
    let legible = str::from_utf8(&bytes[..end]).unwrap_or_default();
    let byte = bytes.get(end).copied().unwrap_or_default();
    let message = format!("byte {end} ({byte:#04x}) is not UTF-8; a scenario is a text file");
    let place = Place { source: 0, start: end, end };
    Sources { name, text: legible, overrides: &[], varied: &[] }.error(
        place,
        String::new(),
        message,
    )
}
