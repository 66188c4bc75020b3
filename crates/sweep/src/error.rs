//! Why a folder cannot be used.

use std::fmt;
use std::io;
use std::path::Path;

/// What is wrong, in words for people.
#[derive(Debug)]
pub enum Error {
    /// The folder is not what it must be: nothing was done to it.
    Folder(String),
    /// The disk is full, or the like: nothing that was kept is lost.
    Disk(String),
}

impl Error {
    /// Writing or reading (`verb`) this file did not work.
    pub(crate) fn disk(verb: &str, path: &Path, error: &io::Error) -> Self {
        Self::Disk(format!("cannot {verb} {}: {error}", path.display()))
    }

    /// This file is not as we write them.
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
        }
    }
}
