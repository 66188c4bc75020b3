//! Why the program ends without having done what it was asked, and with which exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

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
    /// What was found crosses thresholds, each told in a sentence: exit code 4.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "tests are made on Linux only")
    )]
    Crossed(Vec<String>),
    /// Whoever read our output has read enough (`| head`): no failure at all.
    Closed,
}

impl Failure {
    /// Says so on stderr, and how to exit.
    pub(crate) fn report(&self) -> ExitCode {
        let (kind, message, code) = match self {
            Self::Crossed(sentences) => {
                sentences
                    .iter()
                    .for_each(|sentence| output::note(format_args!("crossed: {sentence}")));
                return ExitCode::from(4);
            }
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
