//! The errors of the lab.

use std::io;

use sandbox::SandboxError;

/// The reason why there was no run, or no complete one.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A scenario that asks for something that a Linux kernel does not do, or that the lab cannot
    /// make it do. The text names the field, and the value that would be right.
    #[error("{0}")]
    Unfit(String),
    /// Something that the machine forbids. The text names the thing that was tried, the obstacle,
    /// and the remedy.
    #[error("{0}")]
    Machine(String),
    /// A command that could not be started.
    #[error("{command}: {error}")]
    Command {
        /// The command as it was typed.
        command: String,
        /// The cause.
        error: io::Error,
    },
    /// A failure to write the series, the packets or the capture.
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
