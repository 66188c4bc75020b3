//! The reasons why there is no race.

/// The reason why there is no race.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request that cannot be raced. The text says why.
    #[error("{0}")]
    Request(String),
    /// A run that failed. The text names the run.
    #[error("{0}")]
    Run(String),
}
