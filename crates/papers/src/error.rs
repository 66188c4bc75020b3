//! The reasons why a paper cannot be repeated.

use scenario::ScenarioError;

/// The reason why a paper cannot be repeated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request for a part or a queue that the paper does not have. The text lists those that it
    /// has.
    #[error("{0}")]
    Request(String),
    /// A scenario of the paper that is wrong with the run's changes.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A run that failed. The text names the run.
    #[error("{0}")]
    Run(String),
}
