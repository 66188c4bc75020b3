//! Mistakes in a scenario: the place, what is wrong, and what would be right.

use std::fmt;

use crate::setting::{Override, Vary};

/// A mistake in a scenario file or in an override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The text with the mistake.
    pub origin: Origin,
    /// The place in the file; `None` if the mistake is in an override or in the file as a whole.
    pub position: Option<Position>,
    /// The field, as `--set` writes it: `link.uplink.rate`; empty for the whole file.
    pub field: String,
    /// The mistake, and what would be right, up to [`instead`](Self::instead).
    pub message: String,
    /// The end of the message: the axis that would be right.
    pub instead: Option<Box<Vary>>,
    /// The line with the mistake and a caret below; empty if there is none to show.
    pub snippet: Box<str>,
}

/// The text with a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The file of this name.
    File(String),
    /// An override.
    Override(Box<Override>),
    /// An axis that is not in the file.
    Vary(Box<Vary>),
}

/// How the users of a program or of a library write settings.
#[derive(Clone, Copy, Debug)]
pub struct Notation {
    /// An override.
    pub set: fn(&Override) -> String,
    /// An axis.
    pub vary: fn(&Vary) -> String,
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
        Self::of(Origin::File(file.into()), String::new(), message)
    }

    /// A mistake without a place in a file.
    pub(crate) fn of(origin: Origin, field: String, message: String) -> Self {
        let (position, instead, snippet) = (None, None, Box::default());
        Self { origin, position, field, message, instead, snippet }
    }

    /// The whole message.
    pub fn advice(&self, notation: &Notation) -> String {
        let Self { message, instead, .. } = self;
        let instead = instead.as_ref().map(|axis| format!(" {}", (notation.vary)(axis)));
        message.clone() + &instead.unwrap_or_default()
    }

    /// The error with its place, in the style of rustc:
    ///
    /// ```text
    /// `10mbps` is ambiguous: ...
    ///  --> home.toml:12:8
    ///    |
    /// 12 | rate = "10mbps"
    ///    |        ^^^^^^^^
    ///    = field: link.uplink.rate
    /// ```
    pub fn written(&self, notation: &Notation) -> String {
        let Self { origin, position, field, snippet, .. } = self;
        let margin = position.map_or(1, |position| position.line.to_string().len());
        let (message, origin) = (self.advice(notation), origin.written(notation));
        let mut text = format!("{message}\n{:margin$}--> {origin}", "");
        if let Some(Position { line, column }) = position {
            text += &format!(":{line}:{column}");
        }
        if !snippet.is_empty() {
            text += &format!("\n{snippet}");
        }
        if !field.is_empty() {
            text += &format!("\n{:margin$} = field: {field}", "");
        }
        text
    }
}

impl Origin {
    /// The name of the file, or the setting.
    pub fn written(&self, notation: &Notation) -> String {
        match self {
            Self::File(name) => name.clone(),
            Self::Override(change) => (notation.set)(change),
            Self::Vary(axis) => (notation.vary)(axis),
        }
    }
}

impl Notation {
    /// The options of the program.
    pub const PROGRAM: Self = Self {
        set: |Override { path, value }| format!("--set {path}={value}"),
        vary: |Vary { path, values }| format!("--vary {path}={values}"),
    };
}

impl std::error::Error for ScenarioError {}

impl fmt::Display for ScenarioError {
    /// Writes `error: ` and the error with the options of the program.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.written(&Notation::PROGRAM))
    }
}
