//! The errors of the lab.

use std::io;

use sandbox::SandboxError;

/// The reason why there was no run, or none that is complete.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The scenario asks for something that a Linux kernel does not do, or that the lab cannot make
    /// it do. The text names the field, and what would be right.
    #[error("{0}")]
    Unfit(String),
    /// The machine forbids something. The text names what was tried, what forbids it, and what
    /// would allow it.
    #[error("{0}")]
    Machine(String),
    /// The command could not be started.
    #[error("{command}: {error}")]
    Command {
        /// The command as it was typed.
        command: String,
        /// The cause.
        error: io::Error,
    },
    /// Writing the series, the packets or the capture failed.
    #[error(transparent)]
    Output(io::Error),
}

impl From<SandboxError> for LabError {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Start { command, error } => Self::Command { command, error },
            refused @ SandboxError::Refused { .. } => Self::Machine(format!(
                "{refused}; `unbloat lab --check` says what this machine allows"
            )),
            failed @ SandboxError::Init(_) => Self::Machine(failed.to_string()),
        }
    }
}
