//! The ways in which the program ends without having done what it was asked, with their exit codes.

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::message::note;

/// The path of stdin, which messages call by its name.
pub(crate) const STDIN: &str = "/dev/stdin";

/// The exit code after an interrupt.
pub(crate) const STOPPED: u8 = 3;

/// The reason why the program stops.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The usage or the input is wrong: exit code 2.
    Input(String),
    /// The work failed while running: exit code 1.
    Run(String),
    /// The work was interrupted, and more is left to do: exit code 3.
    Interrupted(String),
    /// The measurement crosses thresholds, one sentence for each: exit code 4.
    Crossed(Vec<String>),
    /// The machine has something wrong, which the result tells: exit code 4.
    Unhealthy,
    /// The reader of our output closed it (`| head`): no failure, exit code 0.
    Closed,
}

impl Failure {
    /// Writes the failure to stderr and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let (kind, message, code) = match self {
            Self::Crossed(sentences) => {
                sentences.iter().for_each(|sentence| note(format_args!("crossed: {sentence}")));
                return ExitCode::from(4);
            }
            Self::Input(message) => ("error", message, 2),
            Self::Run(message) => ("error", message, 1),
            Self::Interrupted(message) => ("interrupted", message, STOPPED),
            Self::Unhealthy => return ExitCode::from(4),
            Self::Closed => return ExitCode::SUCCESS,
        };
        note(format_args!("{kind}: {}", message.replace(STDIN, "standard input")));
        ExitCode::from(code)
    }

    /// What failed, in words; empty where the result tells.
    #[cfg(all(feature = "watch", target_os = "linux"))]
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Input(words) | Self::Run(words) | Self::Interrupted(words) => words.clone(),
            Self::Crossed(sentences) => sentences.join("; "),
            Self::Unhealthy | Self::Closed => String::new(),
        }
    }

    /// The failure, of a program that would have changed a machine later.
    pub(crate) fn before_any_change(self) -> Self {
        let told = |message: String| format!("{message}; nothing was changed");
        match self {
            Self::Input(message) => Self::Input(told(message)),
            Self::Run(message) => Self::Run(told(message)),
            Self::Interrupted(message) => Self::Interrupted(told(message)),
            other => other,
        }
    }

    /// The failure to read the file that `what` names.
    pub(crate) fn reading(what: impl fmt::Display, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::IsADirectory => "it is a folder; name a file",
            io::ErrorKind::NotADirectory => "a part of the path is a file, and no folder",
            io::ErrorKind::InvalidData => "it is no text in UTF-8",
            _ => return Self::Input(format!("{what}: {error}")),
        };
        Self::Input(format!("{what}: {why}"))
    }

    /// The failure to write `what`; [`Closed`](Self::Closed) if the pipe is broken.
    pub(crate) fn writing(what: impl fmt::Display, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Self::Run(format!("cannot write {what}: {error}"))
    }
}
