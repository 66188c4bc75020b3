//! What can go wrong with a shell.

use std::fmt;
use std::io;

use units::Span;

/// The reason why a script has no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum RemoteError {
    /// The text names no machine.
    Destination(String),
    /// The program that gives the shell does not start.
    Start {
        /// The program.
        program: &'static str,
        /// The reason.
        error: io::Error,
    },
    /// The connection ended, or the shell.
    Lost,
    /// No answer came in this time.
    Late(Span),
    /// The answer is longer than any that is wanted.
    Long,
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Destination(text) => write!(
                f,
                "{text:?} names no machine; write ssh://router, ssh://root@192.168.1.1 or \
                 ssh://root@router:2222"
            ),
            Self::Start { program, error } => write!(f, "cannot start {program}: {error}"),
            Self::Lost => f.write_str("the connection ended"),
            Self::Late(span) => write!(f, "no answer came in {span}"),
            Self::Long => f.write_str("the answer is longer than 4 MiB"),
        }
    }
}

impl std::error::Error for RemoteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { error, .. } => Some(error),
            _ => None,
        }
    }
}
