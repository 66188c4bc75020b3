//! The one writer of a store.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use observation::{WatchedProbe, WatchedSecond};
use results::WatchEvent;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use units::Time;

use crate::block::encode;
use crate::error::StoreError;
use crate::event::EventRow;
use crate::micros::micros;
use crate::pending::{Block, Pending, PendingTarget, Timed, Written};
use crate::retention::{self, Retention};
use crate::rows;
use crate::schema;
use crate::seconds::encode_seconds;
use crate::summary::{Level, Tally};
use crate::target::TargetId;

/// Puts an event into the store of a folder, beside its writer, who may be at work: it waits for some seconds
/// until this is done.
///
/// # Errors
/// If there is no store, or if it cannot be written.
pub fn add_event(folder: &Path, event: &WatchEvent) -> Result<(), StoreError> {
    schema::open_reader(folder)?;
    write_event(&schema::open_writer(folder)?, event)
}

/// The one writer of a folder. What is told waits in memory until [`Store::commit`].
#[derive(Debug)]
pub struct Store {
    database: Connection,
    pending: Pending,
    /// The latest time of what was told.
    latest: Time,
    /// Its lock ends with this process, however the process ends.
    _lock: File,
}

impl Store {
    /// Opens the store of the folder; makes both if they are not there.
    ///
    /// # Errors
    /// If the folder cannot be made or written, another process writes there, or the file is of a later
    /// release or something else.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Folder { path: folder.into(), source };
        // The nearest part of the path that exists.
        let there = folder.ancestors().find(|it| it.exists());
        if let Some(file) = there.filter(|it| !it.is_dir()) {
            return Err(StoreError::NoFolder(file.into()));
        }
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = File::create(folder.join("watch.lock")).map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::Busy(folder.into()),
            TryLockError::Error(source) => failed(source),
        })?;
        let database = schema::open_writer(folder)?;
        Ok(Self { database, pending: Pending::default(), latest: Time::ZERO, _lock: lock })
    }

    /// The number of the target of this name, as its user wrote it; always the same for a name.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn target(&mut self, name: &str) -> Result<TargetId, StoreError> {
        self.id(name).map_err(|error| error.within(&self.database))
    }

    /// The numbers of these targets, in one commit: each by its name, and how it was written without one. What was
    /// kept without a name goes on under the name that a target has now.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn targets<'a>(
        &mut self,
        all: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Vec<TargetId>, StoreError> {
        let known = || -> Result<Vec<TargetId>, StoreError> {
            let commit = self.database.unchecked_transaction()?;
            let id = |(name, written): (&str, &str)| {
                let rename = "UPDATE OR IGNORE target SET name = ?1 WHERE name = ?2 AND ?1 <> ?2";
                self.database.execute(rename, [name, written])?;
                self.id(name)
            };
            let ids = all.into_iter().map(id).collect::<Result<_, _>>()?;
            commit.commit()?;
            Ok(ids)
        };
        known().map_err(|error| error.within(&self.database))
    }

    fn id(&self, name: &str) -> Result<TargetId, StoreError> {
        let known = "SELECT id FROM target WHERE name = ?";
        let known = self.database.query_row(known, [name], |row| row.get(0)).optional()?;
        if let Some(id) = known {
            return Ok(TargetId(id));
        }
        self.database.execute("INSERT INTO target (name) VALUES (?)", [name])?;
        Ok(TargetId(self.database.last_insert_rowid()))
    }

    /// Takes a probe whose fate is known. Those of a target come roughly in the order of sending.
    pub fn keep(&mut self, target: TargetId, probe: WatchedProbe) {
        self.latest = self.latest.max(probe.sent);
        self.pending.keep(target, probe);
    }

    /// Takes a second of our own end.
    pub fn keep_second(&mut self, second: WatchedSecond) {
        self.latest = self.latest.max(second.at);
        self.pending.keep_second(second);
    }

    /// Takes an event that is over.
    pub fn keep_event(&mut self, event: &WatchEvent) {
        self.pending.keep_event(event);
    }

    /// Puts all that was told into the file, in one transaction: once this has returned, neither the end of
    /// this process nor a power cut takes it away. Returns the latest time of what was told.
    ///
    /// # Errors
    /// If the file cannot be written, as on a full disk. Then nothing of it is in the file, all waits, and
    /// the next call tries again; of each target an hour at one probe a second, and of events 10,000.
    pub fn commit(&mut self) -> Result<Time, StoreError> {
        // From its beginning on nobody else writes: what it reads, it may replace.
        let all = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut rows = Written::default();
        for (&id, target) in &mut self.pending.targets {
            rows.targets.push(write_target(&all, id, target)?);
        }
        rows.seconds = write_seconds(&all, &mut self.pending)?;
        self.pending.events.iter().try_for_each(|event| write_event(&all, event))?;
        all.commit()?;
        self.pending.written(&rows);
        Ok(self.latest)
    }

    /// Probes, seconds and events that were given up because no commit succeeded for too long.
    pub const fn dropped(&self) -> u64 {
        self.pending.dropped
    }

    /// Deletes what is older than it should be, and gives its space back to the disk: a part at each call,
    /// so that no call takes long. Meant for each minute, after a commit.
    ///
    /// Ages count from the newest hour before which 24 hours were kept, not from a clock: one that is wrong by
    /// years for less than a day deletes nothing.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn retain(&mut self, retention: &Retention) -> Result<(), StoreError> {
        retention::retain(&mut self.database, retention)
    }
}

fn write_target(
    database: &Connection,
    id: TargetId,
    target: &mut PendingTarget,
) -> Result<Vec<i64>, StoreError> {
    let mut rows = Vec::new();
    for block in target.blocks.changed() {
        let (start, end) = reach(block);
        let sql = "REPLACE INTO block VALUES (?, ?, ?, ?, ?, ?)";
        let values =
            params![block.row, id.0, start, end, block.entries.len(), encode(&block.entries)];
        database.prepare_cached(sql)?.execute(values)?;
        rows.push(block.row.unwrap_or_else(|| database.last_insert_rowid()));
    }
    let mut hour: Option<(i64, Tally)> = None;
    for (&start, tally) in &target.minutes {
        rows::add(database, id, start, Level::Minute, tally)?;
        let start = start / 3600 * 3600;
        match &mut hour {
            Some((same, all)) if *same == start => all.merge(tally),
            _ => {
                if let Some((start, all)) = hour.replace((start, tally.clone())) {
                    rows::add(database, id, start, Level::Hour, &all)?;
                }
            }
        }
    }
    if let Some((start, all)) = hour {
        rows::add(database, id, start, Level::Hour, &all)?;
    }
    if let Some((first, last)) = target.reach {
        let sql = "UPDATE target SET first_us = min(ifnull(first_us, ?1), ?1),
            last_us = max(ifnull(last_us, ?2), ?2) WHERE id = ?3";
        database.prepare_cached(sql)?.execute(params![micros(first), micros(last), id.0])?;
    }
    Ok(rows)
}

fn write_seconds(database: &Connection, pending: &mut Pending) -> Result<Vec<i64>, StoreError> {
    let mut rows = Vec::new();
    for block in pending.seconds.changed() {
        let (start, end) = reach(block);
        let sql = "REPLACE INTO second VALUES (?, ?, ?, ?, ?)";
        let values =
            params![block.row, start, end, block.entries.len(), encode_seconds(&block.entries)];
        database.prepare_cached(sql)?.execute(values)?;
        rows.push(block.row.unwrap_or_else(|| database.last_insert_rowid()));
    }
    pending.machine.iter().try_for_each(|(start, machine)| machine.write(database, *start))?;
    Ok(rows)
}

/// The first and the last time of a block, in microseconds.
fn reach<T: Timed>(block: &Block<T>) -> (i64, i64) {
    let time = |entry: Option<&T>| entry.map_or(0, |it| micros(it.time()));
    (time(block.entries.first()), time(block.entries.last()))
}

fn write_event(database: &Connection, event: &WatchEvent) -> Result<(), StoreError> {
    let row = EventRow::of(event)?;
    let start = (event.start_s * 1e6) as i64;
    let end = ((event.start_s + event.duration_s) * 1e6) as i64;
    let sql = "INSERT INTO event (start_us, end_us, kind, cause, json) VALUES (?, ?, ?, ?, ?)";
    let text = row.json.to_string();
    database.prepare_cached(sql)?.execute(params![start, end, row.kind(), row.cause(), text])?;
    Ok(())
}
