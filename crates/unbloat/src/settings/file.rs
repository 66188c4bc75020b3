//! The configuration file: a line `key = "value"` for each setting, in TOML.

use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::{KEYS, Key, Origin, Setting, Settings, check, path, unknown};
use crate::failure::Failure;

/// The settings of the file; none if there is no file, or none that this user may read: a service
/// must not fail for it.
pub(super) fn read() -> Result<Settings, Failure> {
    let Some(path) = path() else { return Ok(Settings::default()) };
    match fs::read_to_string(&path) {
        Ok(text) => parse(&text, &path),
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied => {
                Ok(Settings::default())
            }
            _ => Err(Failure::Input(format!("{}: {error}", path.display()))),
        },
    }
}

fn parse(text: &str, path: &Path) -> Result<Settings, Failure> {
    let at = |span: Option<Range<usize>>| line(text, span.map_or(0, |span| span.start));
    let wrong = |line: usize, why: String| {
        let shown = text.lines().nth(line - 1).unwrap_or_default();
        Failure::Input(format!("{}:{line}: {why}\n{line} | {shown}", path.display()))
    };
    let table = DeTable::parse(text).map_err(|error| {
        wrong(at(error.span()), format!("this is not TOML: {}", error.message()))
    })?;
    let mut settings = Settings::default();
    for (name, value) in table.get_ref() {
        let (line, name) = (at(Some(name.span())), name.get_ref().as_ref());
        let (index, key) = find(name).map_err(|why| wrong(line, why))?;
        let DeValue::String(value) = value.get_ref() else {
            let why = format!("`{name}` is a text; write {name} = \"...\"");
            return Err(wrong(line, why));
        };
        check(key, value).map_err(|why| wrong(line, format!("{name}: {why}")))?;
        let setting = Setting { value: value.as_ref().to_owned(), origin: Origin::Line(line) };
        settings.values[index] = Some(setting);
    }
    Ok(settings)
}

/// The setting of this name, and its place among all.
fn find(name: &str) -> Result<(usize, &'static Key), String> {
    let found = KEYS.iter().enumerate().find(|(_, key)| key.name == name);
    found.ok_or_else(|| unknown("setting", name, &KEYS.each_ref().map(|key| key.name)))
}

/// The number of the line, from 1, that has this byte.
fn line(text: &str, byte: usize) -> usize {
    text.as_bytes()[..byte.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}
