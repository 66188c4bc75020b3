//! Why there was no run.

use std::io;

/// Why there was no run, or no whole one.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The scenario asks for what a Linux kernel does not do, or we cannot have it do: which field,
    /// and what would be right.
    #[error("{0}")]
    Unfit(String),
    /// The machine does not let us: what was tried, what forbids it, what would allow it.
    #[error("{0}")]
    Machine(String),
    /// The command could not be started.
    #[error("{command}: {error}")]
    Command {
        /// As it was typed.
        command: String,
        /// Why.
        error: io::Error,
    },
    /// Writing the series, the packets or the capture failed.
    #[error(transparent)]
    Output(io::Error),
}
