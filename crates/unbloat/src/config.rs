//! `unbloat config`: the settings in force, and where each comes from.

use std::fs::File;
use std::io::ErrorKind;

use serde_json::json;

use crate::args::ConfigArgs;
use crate::failure::Failure;
use crate::settings::{self, KEYS, Key, Origin, Settings};
use crate::{output, terminal};

/// Prints the settings.
pub(crate) fn config(args: &ConfigArgs) -> Result<(), Failure> {
    let settings = Settings::load()?;
    output::print(&if args.json { document(&settings) } else { report::fold(&table(&settings)) })
}

/// The value of a setting, and the words for its origin.
fn shown(settings: &Settings, key: &Key) -> (String, String) {
    match settings.get(key.name) {
        None if key.default.is_empty() => ("(not set)".into(), String::new()),
        None => (key.default.into(), "default".into()),
        Some(setting) => {
            let origin = match &setting.origin {
                Origin::Environment(variable) => (*variable).to_owned(),
                Origin::Line(line) => format!("line {line} of the file"),
            };
            (report::printable(&setting.value), origin)
        }
    }
}

/// Columns below which the values have less room.
const NARROW: usize = 60;

fn table(settings: &Settings) -> String {
    let mut text = String::new();
    let path = settings::path();
    let unread = path.as_deref().and_then(|path| File::open(path).err()).map(|error| error.kind());
    if let Some(path) = &path {
        let state = match unread {
            None => "",
            Some(ErrorKind::PermissionDenied) => " (you may not read it)",
            Some(_) => " (not there)",
        };
        text += &format!("{}{state}\n\n", report::printable(&path.display().to_string()));
    }
    let width = if terminal::columns() < NARROW { 12 } else { 24 };
    for key in &KEYS {
        let (value, origin) = shown(settings, key);
        text += format!("{:<10}  {value:<width$}  {origin}", key.name).trim_end();
        text += &format!("\n{:12}{}; {}\n", "", key.purpose, key.variable);
    }
    let is_missing = unread.is_some_and(|kind| kind != ErrorKind::PermissionDenied);
    if let Some(path) = path.filter(|_| is_missing) {
        let folder = path.parent().unwrap_or(&path).display().to_string();
        text += &format!(
            "\nTo keep a server for all verbs:\n  mkdir -p {folder}\n  \
             echo 'server = \"far.example.net\"' >> {}\n",
            path.display()
        );
    }
    text
}

fn document(settings: &Settings) -> String {
    let entries = KEYS.iter().map(|key| {
        let setting = settings.get(key.name);
        let value = setting.map(|setting| setting.value.as_str());
        let default = Some(key.default).filter(|default| !default.is_empty());
        let origin = match setting.map(|setting| &setting.origin) {
            None => json!("default"),
            Some(Origin::Environment(variable)) => json!({ "variable": variable }),
            Some(Origin::Line(line)) => json!({ "line": line }),
        };
        (key.name.to_owned(), json!({ "value": value.or(default), "from": origin }))
    });
    let path = settings::path().map(|path| path.display().to_string());
    let settings: serde_json::Map<String, serde_json::Value> = entries.collect();
    report::json(
        &json!({ "schema": "unbloat.config", "version": 1, "file": path, "settings": settings }),
    )
}
