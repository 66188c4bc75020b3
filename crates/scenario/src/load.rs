//! From a file to a scenario that has been checked, and back.

use std::io;
use std::path::Path;

use schemars::generate::SchemaSettings;
use serde::Deserialize;

use crate::check::{self, Context};
use crate::fault::Fault;
use crate::file::ScenarioFile;
use crate::read::{from_folder, read_tree};
use crate::source::Sources;
use crate::{Override, Scenario, ScenarioError, sweep, write};

impl Scenario {
    /// Reads and checks the file at `path`, with these overrides. Paths of traces are relative to
    /// the folder that holds the file.
    ///
    /// # Errors
    /// The first mistake found, with its place.
    pub fn load(path: &Path, overrides: &[Override]) -> Result<Self, ScenarioError> {
        from_folder(path, |text, name, read_trace| Self::parse(text, name, overrides, read_trace))
    }

    /// Reads and checks `text`, which messages call `name`. `read_trace` returns the text of a
    /// trace.
    ///
    /// # Errors
    /// The first mistake found, with its place.
    pub fn parse(
        text: &str,
        name: &str,
        overrides: &[Override],
        read_trace: &dyn Fn(&str) -> io::Result<String>,
    ) -> Result<Self, ScenarioError> {
        let sources = &Sources { name, text, overrides, varied: &[] };
        let mut tree = read_tree(sources)?;
        sweep::in_file(&mut tree, sources)?;
        let checked = ScenarioFile::deserialize(&tree)
            .and_then(|file| check::scenario(&file, &Context { sources, read_trace }));
        checked.map_err(|fault: Fault| fault.into_error(sources, Some(&tree)))
    }

    /// The scenario with all defaults spelled out, in the file's own syntax; it reads back as this
    /// scenario.
    pub fn to_json(&self) -> serde_json::Value {
        let file = serde_json::to_value(write::scenario(self));
        write::without_nulls(file.expect("texts, numbers and lists can always be written"))
    }
}

/// The JSON Schema (draft 2020-12) of the scenario file.
pub fn schema() -> serde_json::Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<ScenarioFile>();
    schema.insert("title".into(), "Scenario of unbloat".into());
    schema.to_value()
}
