//! The reasons why a command cannot run.

use std::io;

/// The reason why a command could not run in its sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The machine refuses something that the sandbox needs.
    #[error("{what}: {error}")]
    Refused {
        /// The step that was refused, such as `entering a network namespace`.
        what: &'static str,
        /// The kernel's reason.
        error: io::Error,
    },
    /// The exit code of an init that has ended without a report.
    #[error("the init of the command has failed with exit code {0}")]
    Init(u8),
    /// The command could not be started.
    #[error("{command}: {error}")]
    Start {
        /// The command as it was typed.
        command: String,
        /// The cause.
        error: io::Error,
    },
}
