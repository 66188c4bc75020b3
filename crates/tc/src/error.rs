//! Why a text is not what tc prints.

/// The reason why a text is not what tc prints.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct TcError {
    /// The line of the mistake, from 1.
    pub line: usize,
    /// The place in the line, in characters from 1.
    pub column: usize,
    /// The mistake, and what would be right.
    pub message: String,
}
