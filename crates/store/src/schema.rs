//! The file: what it is named, its tables, and how it is opened.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::StoreError;

/// The version of the layout; a release reads this one only.
pub(crate) const VERSION: i64 = 1;
/// SQLite's `application_id`: `unbl` in ASCII.
const APPLICATION: i64 = 0x756e_626c;

/// The name of the file in the folder.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join("watch.sqlite")
}

/// The tables. Those with names in the singular are compact; the views are for people.
const TABLES: &str = "
CREATE TABLE target (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, first_us INTEGER, last_us INTEGER
);
CREATE TABLE block (
    id INTEGER PRIMARY KEY, target INTEGER NOT NULL, start_us INTEGER NOT NULL, end_us INTEGER NOT NULL,
    count INTEGER NOT NULL, probes BLOB NOT NULL
);
CREATE INDEX block_start ON block (target, start_us);
CREATE TABLE second (
    id INTEGER PRIMARY KEY, start_us INTEGER NOT NULL, end_us INTEGER NOT NULL,
    count INTEGER NOT NULL, seconds BLOB NOT NULL
);
CREATE INDEX second_start ON second (start_us);
CREATE TABLE minute (
    target INTEGER NOT NULL, start INTEGER NOT NULL,
    sent INTEGER NOT NULL, late INTEGER NOT NULL, lost INTEGER NOT NULL, failed INTEGER NOT NULL,
    min_us INTEGER, p50_us INTEGER, p95_us INTEGER, p99_us INTEGER, max_us INTEGER,
    buckets BLOB NOT NULL, PRIMARY KEY (target, start)
) WITHOUT ROWID;
CREATE TABLE hour (
    target INTEGER NOT NULL, start INTEGER NOT NULL,
    sent INTEGER NOT NULL, late INTEGER NOT NULL, lost INTEGER NOT NULL, failed INTEGER NOT NULL,
    min_us INTEGER, p50_us INTEGER, p95_us INTEGER, p99_us INTEGER, max_us INTEGER,
    buckets BLOB NOT NULL, PRIMARY KEY (target, start)
) WITHOUT ROWID;
CREATE TABLE machine (
    start INTEGER PRIMARY KEY, seconds INTEGER NOT NULL, up_bytes INTEGER, down_bytes INTEGER,
    lateness_us INTEGER NOT NULL, busy_percent INTEGER, signal_dbm INTEGER, retries INTEGER
);
CREATE TABLE event (
    id INTEGER PRIMARY KEY, start_us INTEGER NOT NULL, end_us INTEGER NOT NULL,
    kind TEXT NOT NULL, cause TEXT, json TEXT NOT NULL
);
CREATE INDEX event_end ON event (end_us);
CREATE VIEW minutes AS SELECT name AS target, datetime(start, 'unixepoch') AS utc, sent, late, lost, failed,
    min_us / 1e3 AS min_ms, p50_us / 1e3 AS p50_ms, p95_us / 1e3 AS p95_ms, p99_us / 1e3 AS p99_ms,
    max_us / 1e3 AS max_ms, start FROM minute JOIN target ON target.id = minute.target;
CREATE VIEW hours AS SELECT name AS target, datetime(start, 'unixepoch') AS utc, sent, late, lost, failed,
    min_us / 1e3 AS min_ms, p50_us / 1e3 AS p50_ms, p95_us / 1e3 AS p95_ms, p99_us / 1e3 AS p99_ms,
    max_us / 1e3 AS max_ms, start FROM hour JOIN target ON target.id = hour.target;
CREATE VIEW events AS SELECT datetime(start_us / 1000000, 'unixepoch') AS utc,
    (end_us - start_us) / 1e6 AS duration_s, kind, cause, json FROM event;
CREATE VIEW machine_minutes AS SELECT datetime(start, 'unixepoch') AS utc, seconds,
    up_bytes * 8 / 1e6 / seconds AS up_mbit_s, down_bytes * 8 / 1e6 / seconds AS down_mbit_s,
    lateness_us / 1e3 AS lateness_ms, busy_percent, signal_dbm, retries, start FROM machine;
";

/// Opens the file to write; makes it if it is not there.
pub(crate) fn open_writer(folder: &Path) -> Result<Connection, StoreError> {
    let path = file(folder);
    let mut database = Connection::open(&path).map_err(|error| foreign(error, &path))?;
    prepare(&mut database, &path).map_err(|error| error.within(&database))?;
    // The names of new files are kept too.
    let sync = |folder: &Path| File::open(folder).and_then(|it| it.sync_all());
    let above = folder.parent().filter(|it| !it.as_os_str().is_empty());
    for folder in [Some(folder), above].into_iter().flatten() {
        sync(folder).map_err(|source| StoreError::Folder { path: folder.into(), source })?;
    }
    Ok(database)
}

/// Makes the tables if there are none, and sees to it that no commit is lost.
fn prepare(database: &mut Connection, path: &Path) -> Result<(), StoreError> {
    match state(database, path)? {
        State::Empty => create(database)?,
        State::Known => {}
    }
    // A commit is kept once it has returned, whatever happens to the power: SQLite's manual, "Pragma
    // synchronous": with WAL, only FULL syncs the log at each commit.
    database.pragma_update(None, "journal_mode", "wal")?;
    database.pragma_update(None, "synchronous", "full")?;
    // The log is put into the file from four megabytes on, and is not longer after that.
    database.pragma_update(None, "wal_autocheckpoint", 256)?;
    database.pragma_update(None, "journal_size_limit", 4 << 20)?;
    // One of each statement of a commit and of a retention.
    database.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Opens the file to read.
pub(crate) fn open_reader(folder: &Path) -> Result<Connection, StoreError> {
    let path = file(folder);
    match fs::metadata(&path) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(StoreError::Missing(path));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(StoreError::NoFolder(folder.into()));
        }
        Err(source) => return Err(StoreError::Folder { path, source }),
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database =
        Connection::open_with_flags(&path, flags).map_err(|error| foreign(error, &path))?;
    match state(&database, &path).map_err(|error| error.within(&database))? {
        State::Empty => Err(StoreError::Foreign(path)),
        State::Known => Ok(database),
    }
}

enum State {
    Empty,
    Known,
}

fn state(database: &Connection, path: &Path) -> Result<State, StoreError> {
    let number = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0));
    let tables =
        number("SELECT count(*) FROM sqlite_schema").map_err(|error| foreign(error, path))?;
    let (application, version) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
    match (application, version) {
        (APPLICATION, VERSION) => Ok(State::Known),
        (APPLICATION, version) if version > VERSION => {
            Err(StoreError::Newer { path: path.into(), version, known: VERSION })
        }
        (0, 0) if tables == 0 => Ok(State::Empty),
        _ => Err(StoreError::Foreign(path.into())),
    }
}

fn create(database: &mut Connection) -> Result<(), StoreError> {
    // A row of a block takes two to three kilobytes: pages of four would be full to two thirds.
    database.pragma_update(None, "page_size", 16 << 10)?;
    // Only a file without tables can be told to give space back.
    database.pragma_update(None, "auto_vacuum", "incremental")?;
    let all = database.transaction()?;
    all.execute_batch(TABLES)?;
    all.pragma_update(None, "application_id", APPLICATION)?;
    all.pragma_update(None, "user_version", VERSION)?;
    Ok(all.commit()?)
}

fn foreign(error: rusqlite::Error, path: &Path) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::Foreign(path.into()),
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SQLite's manual, "Write-Ahead Logging": with `synchronous=NORMAL` a commit might roll back after a
    /// power cut; with FULL the log is synced at each commit.
    #[test]
    fn commits_are_synced() {
        let folder = std::env::temp_dir().join(format!("unbloat-store-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let database = open_writer(&folder).unwrap();
        let number =
            |name| database.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        let journal = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        assert_eq!(database.pragma_query_value(None, "journal_mode", journal).unwrap(), "wal");
        assert_eq!(
            (number("synchronous"), number("auto_vacuum"), number("page_size")),
            (2, 2, 16384)
        );
        drop(database);
        fs::remove_dir_all(&folder).unwrap();
    }
}
