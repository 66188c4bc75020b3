//! What can go wrong with a store.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};
use thiserror::Error;

/// Why a store cannot be opened, written or read.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder or a file in it cannot be made or opened.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file has the name of the folder.
    #[error("{}: this is a file, and a store is a folder; name a folder", .0.display())]
    NoFolder(PathBuf),
    /// Another process writes there.
    #[error("{}: another watch writes here; end it, or give this one another folder", .0.display())]
    Busy(PathBuf),
    /// The folder holds no store.
    #[error("{}: there is no such file; give the folder that `unbloat watch` has written", .0.display())]
    Missing(PathBuf),
    /// The file is something else.
    #[error("{}: not the store of a watch; give another folder, or move this file away", .0.display())]
    Foreign(PathBuf),
    /// The file is of a later release.
    #[error("{}: a store of version {version}; this release reads version {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The version of this release.
        known: i64,
    },
    /// The file is damaged, or SQLite refuses it for another reason.
    #[error("{}: {}", path.display(), told(source, path))]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: Box<Self>,
    },
    /// A row cannot be read.
    #[error("row {row} of table {table}: {damage}")]
    Row {
        /// The table.
        table: &'static str,
        /// The row: its `rowid`, or for minutes and hours its beginning in seconds since 1970.
        row: i64,
        /// What is wrong with it.
        damage: Damage,
    },
    /// SQLite refuses.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// An event cannot be written as JSON.
    #[error("an event as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// An export cannot be written.
    #[error("the export: {0}")]
    Export(#[from] io::Error),
}

impl StoreError {
    /// True if the disk is full, so that a later try may succeed.
    pub fn is_full(&self) -> bool {
        match self {
            Self::File { source, .. } => source.is_full(),
            Self::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::DiskFull),
            _ => false,
        }
    }

    /// The same error, with the name of the file that it is of.
    pub(crate) fn within(self, database: &Connection) -> Self {
        match (self, database.path()) {
            (error @ (Self::Sqlite(_) | Self::Row { .. }), Some(path)) => {
                Self::File { path: path.into(), source: error.into() }
            }
            (other, _) => other,
        }
    }

    /// True if the file is not what was written.
    fn is_damage(&self) -> bool {
        match self {
            Self::Row { damage, .. } => !matches!(damage, Damage::Layout(_) | Damage::Outcome(_)),
            Self::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt),
            _ => false,
        }
    }
}

/// What is wrong with a file, and what helps.
fn told(error: &StoreError, path: &Path) -> String {
    match () {
        () if error.is_damage() => format!(
            "the file is damaged ({error}); `sqlite3 {} .recover` prints what can be saved of it",
            path.display()
        ),
        () if error.is_full() => {
            "the disk is full; make room on it, or give a folder on another disk. \
             A store needs 1 MB at first, and a target 13 MB a month at one probe a second"
                .to_owned()
        }
        () => error.to_string(),
    }
}

/// What is wrong with the bytes of a row.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Damage {
    /// They end too early.
    #[error("the bytes end too early")]
    Short,
    /// They go on behind the end.
    #[error("bytes behind the end")]
    Long,
    /// A number is out of range.
    #[error("a number out of range")]
    Range,
    /// They are of a layout that this release does not know.
    #[error("layout {0}, which this release does not know")]
    Layout(u8),
    /// An outcome is unknown.
    #[error("outcome {0}, which this release does not know")]
    Outcome(u8),
    /// The text of an event is no event.
    #[error("no event: {0}")]
    Event(String),
}
