//! The reasons why a paper cannot be repeated.

use scenario::ScenarioError;

/// The reason why a paper cannot be repeated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request asks for what the paper does not have. The text says what there is.
    #[error("{0}")]
    Request(String),
    /// A scenario of the paper is wrong with these changes.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A run failed. The text names it.
    #[error("{0}")]
    Run(String),
}
