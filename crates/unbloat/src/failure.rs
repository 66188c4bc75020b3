//! Why the program ends without having done what it was asked, and with which exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

use scenario::ScenarioError;

use crate::interrupt;
use crate::output;

/// Why we stop.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was asked cannot be meant: exit code 2.
    Input(String),
    /// It could have been done, but was not: exit code 1.
    Run(String),
    /// It was interrupted, and there is more to do: exit code 3.
    Interrupted(String),
    /// Whoever read our output has read enough (`| head`): no failure at all.
    Closed,
}

impl Failure {
    /// Says so on stderr, and how to exit.
    pub(crate) fn report(&self) -> ExitCode {
        let (kind, message, code) = match self {
            Self::Input(message) => ("error", message, 2),
            Self::Run(message) => ("error", message, 1),
            Self::Interrupted(message) => ("interrupted", message, interrupt::STOPPED),
            Self::Closed => return ExitCode::SUCCESS,
        };
        output::note(format_args!("{kind}: {message}"));
        ExitCode::from(code)
    }

    /// Writing `what` did not work.
    pub(crate) fn writing(what: impl fmt::Display, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Self::Run(format!("cannot write {what}: {error}"))
    }
}

impl From<ScenarioError> for Failure {
    /// `file:line:column: field: what is wrong`, and below it the line.
    fn from(error: ScenarioError) -> Self {
        let mut message = error.file;
        if let Some(place) = error.position {
            message += &format!(":{}:{}", place.line, place.column);
        }
        for part in [error.field, error.message].iter().filter(|part| !part.is_empty()) {
            message += &format!(": {part}");
        }
        if !error.snippet.is_empty() {
            message += &format!("\n{}", error.snippet.trim_end());
        }
        Self::Input(message)
    }
}

#[cfg(test)]
mod tests {
    use scenario::Position;

    use super::*;

    #[test]
    fn a_mistake_in_a_file_is_told_with_its_place() {
        let error = ScenarioError {
            file: "home.toml".into(),
            position: Some(Position { line: 7, column: 9 }),
            field: "link.uplink.rate".into(),
            message: "`10` has no unit".into(),
            snippet: "7 | rate = \"10\"\n".into(),
        };
        let Failure::Input(message) = Failure::from(error) else { panic!("not an input error") };
        assert_eq!(message, "home.toml:7:9: link.uplink.rate: `10` has no unit\n7 | rate = \"10\"");
    }

    #[test]
    fn a_mistake_without_a_place_is_told_without() {
        let error = ScenarioError {
            file: "home.toml".into(),
            position: None,
            field: String::new(),
            message: "is a folder".into(),
            snippet: String::new(),
        };
        let Failure::Input(message) = Failure::from(error) else { panic!("not an input error") };
        assert_eq!(message, "home.toml: is a folder");
    }
}
