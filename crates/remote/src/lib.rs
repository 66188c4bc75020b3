//! A shell that scripts are given to, here or on another machine.
//!
//! The other machine is reached by the user's own `ssh`, so keys, jump hosts and known hosts are
//! those that the user has set up. One process serves all scripts.
//!
//! ```
//! use remote::Shell;
//! use units::Span;
//!
//! let mut shell = Shell::here()?;
//! let answer = shell.run("echo one; exit 3", Span::from_secs(5))?;
//! assert_eq!((answer.text.as_str(), answer.status), ("one\n", 3));
//! # Ok::<(), remote::RemoteError>(())
//! ```

mod destination;
mod error;
mod shell;

pub use destination::Destination;
pub use error::RemoteError;
pub use shell::{Answer, Shell};
