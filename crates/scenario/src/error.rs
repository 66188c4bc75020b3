//! Mistakes in a scenario: the place, what is wrong, and what would be right.

use std::fmt;

/// A mistake in a scenario file or in an override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The name of the file, or `--set PATH=VALUE` if the mistake is in an override.
    pub file: String,
    /// The place in the file; `None` if the mistake is in an override or in the file as a whole.
    pub position: Option<Position>,
    /// The field, as `--set` writes it: `link.uplink.rate`; empty for the whole file.
    pub field: String,
    /// The mistake, and what would be right.
    pub message: String,
    /// The line with the mistake and a caret below; empty if there is none to show.
    pub snippet: String,
}

/// A place in a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl ScenarioError {
    /// A mistake in the file as a whole.
    pub(crate) fn of_file(file: &str, message: String) -> Self {
        let (field, snippet) = (String::new(), String::new());
        Self { file: file.into(), position: None, field, message, snippet }
    }
}

impl std::error::Error for ScenarioError {}

impl fmt::Display for ScenarioError {
    /// Writes the error in the style of rustc:
    ///
    /// ```text
    /// error: `10mbps` is ambiguous: ...
    ///  --> home.toml:12:8
    ///    |
    /// 12 | rate = "10mbps"
    ///    |        ^^^^^^^^
    ///    = field: link.uplink.rate
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, position, field, message, snippet } = self;
        let margin = position.map_or(1, |position| position.line.to_string().len());
        write!(f, "error: {message}\n{:margin$}--> {file}", "")?;
        if let Some(Position { line, column }) = position {
            write!(f, ":{line}:{column}")?;
        }
        if !snippet.is_empty() {
            write!(f, "\n{snippet}")?;
        }
        if !field.is_empty() {
            write!(f, "\n{:margin$} = field: {field}", "")?;
        }
        Ok(())
    }
}
