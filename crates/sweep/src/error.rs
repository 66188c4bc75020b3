//! The reasons why a folder cannot be used.

use std::fmt;
use std::io;
use std::path::Path;

/// An error, with a message for users.
#[derive(Debug)]
pub enum Error {
    /// A folder that cannot be used as a folder of runs. Nothing in it was changed.
    Folder(String),
    /// A folder that cannot be used for these runs. The message lacks its end: that another folder could be.
    Taken(String),
    /// A failure of the disk, for instance because it is full. No run that was kept is lost.
    Disk(String),
}

impl Error {
    /// The error that this file could not be written or read, as `verb` says.
    pub(crate) fn disk(verb: &str, path: &Path, error: &io::Error) -> Self {
        Self::Disk(format!("cannot {verb} {}: {error}", path.display()))
    }

    /// The error that the content of this file is damaged.
    pub(crate) fn damaged(path: &Path, why: impl fmt::Display) -> Self {
        let path = path.display();
        Self::Folder(format!("{path} is damaged: {why}; remove it, and its runs are done again"))
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(message) | Self::Disk(message) => f.write_str(message),
            Self::Taken(message) => write!(f, "{message}, or name another folder"),
        }
    }
}
