//! Readers of a store, beside its writer or without one.

use std::path::Path;

use observation::{WatchedProbe, WatchedSecond};
use results::WatchEvent;
use rusqlite::{Connection, Params, Row, params};
use units::{Bytes, Span, Time};

use crate::block::decode;
use crate::error::{Damage, StoreError};
use crate::machine::MachineMinute;
use crate::micros::{micros, micros_up, seconds_up, time};
use crate::pending::LONGEST;
use crate::rows;
use crate::schema;
use crate::seconds::decode_seconds;
use crate::summary::{Level, Percentiles, Summary};
use crate::target::{Target, TargetId};

/// A reader of a folder. Times are since 1970 (UTC); `from` is the first one that counts, `to` the first that
/// does not.
#[derive(Debug)]
pub struct Reader {
    database: Connection,
}

impl Reader {
    /// Opens the store of the folder.
    ///
    /// # Errors
    /// If there is none, or the file is of a later release or something else.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Ok(Self { database: schema::open_reader(folder)? })
    }

    /// All targets in the order in which they were first told.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn targets(&self) -> Result<Vec<Target>, StoreError> {
        self.rows("SELECT id, name, first_us, last_us FROM target ORDER BY id", [], |row| {
            let id = row.get(0)?;
            let at = |column| -> Result<Option<Time>, StoreError> {
                let micros: Option<i64> = row.get(column)?;
                micros.map(time).transpose().map_err(|damage| damaged("target", id, damage))
            };
            Ok(Target { id: TargetId(id), name: row.get(1)?, first: at(2)?, last: at(3)? })
        })
    }

    /// The probes of a target that were sent in this time, in the order of sending.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn probes(
        &self,
        target: TargetId,
        from: Time,
        to: Time,
    ) -> Result<Vec<WatchedProbe>, StoreError> {
        let sql = "SELECT id, probes FROM block WHERE target = ? AND start_us >= ? AND start_us < ?
            AND end_us >= ? ORDER BY start_us";
        let range = params![target.0, earliest_start(from), micros_up(to), micros(from)];
        let blocks = self.rows(sql, range, |row| blob(row, "block", decode))?;
        let mut probes: Vec<_> = blocks.into_iter().flatten().collect();
        probes.retain(|it| it.sent >= from && it.sent < to);
        probes.sort_by_key(|it| it.sent);
        Ok(probes)
    }

    /// The seconds of our own end that ended in this time, in their order.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn seconds(&self, from: Time, to: Time) -> Result<Vec<WatchedSecond>, StoreError> {
        let sql =
            "SELECT id, seconds FROM second WHERE start_us >= ? AND start_us < ? AND end_us >= ?
            ORDER BY start_us";
        let range = params![earliest_start(from), micros_up(to), micros(from)];
        let blocks = self.rows(sql, range, |row| blob(row, "second", decode_seconds))?;
        let mut seconds: Vec<_> = blocks.into_iter().flatten().collect();
        seconds.retain(|it| it.at >= from && it.at < to);
        seconds.sort_by_key(|it| it.at);
        Ok(seconds)
    }

    /// The minutes or hours of a target that begin in this time, in their order; those without probes are
    /// left out.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn summaries(
        &self,
        target: TargetId,
        from: Time,
        to: Time,
        level: Level,
    ) -> Result<Vec<Summary>, StoreError> {
        let (columns, table) = (rows::COLUMNS, level.table());
        let sql = format!(
            "SELECT {columns} FROM {table} WHERE target = ? AND start >= ? AND start < ? ORDER BY start"
        );
        self.rows(&sql, params![target.0, seconds_up(from), seconds_up(to)], |row| {
            let (start, tally) = rows::read(row, level)?;
            let start = start.checked_mul(1_000_000).ok_or(Damage::Range).and_then(time);
            let start =
                start.map_err(|damage| damaged(level.table(), row.get(0).unwrap_or(0), damage))?;
            Ok(tally.summary(start, level))
        })
    }

    /// Percentiles of the minutes or hours of a target that begin in this time, in their order: quicker to
    /// read than [`Self::summaries`].
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn percentiles(
        &self,
        target: TargetId,
        from: Time,
        to: Time,
        level: Level,
    ) -> Result<Vec<Percentiles>, StoreError> {
        let table = level.table();
        let sql = format!(
            "SELECT start, p50_us, p95_us FROM {table} WHERE target = ? AND start >= ? AND start < ?
            ORDER BY start"
        );
        self.rows(&sql, params![target.0, seconds_up(from), seconds_up(to)], |row| {
            let start = row_start(row, table)?;
            let span = |column| -> Result<Option<Span>, StoreError> {
                let micros: Option<u64> = row.get(column)?;
                Ok(micros.map(|it| Span::from_nanos(it.saturating_mul(1000))))
            };
            Ok(Percentiles { start, p50: span(1)?, p95: span(2)? })
        })
    }

    /// The minutes of our own end that began in this time, in order.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn machine_minutes(&self, from: Time, to: Time) -> Result<Vec<MachineMinute>, StoreError> {
        let sql =
            "SELECT start, seconds, up_bytes, down_bytes, lateness_us, busy_percent, signal_dbm, retries
            FROM machine WHERE start >= ? AND start < ? ORDER BY start";
        self.rows(sql, params![seconds_up(from), seconds_up(to)], |row| {
            let start = row_start(row, "machine")?;
            let bytes = |column| -> Result<Option<Bytes>, StoreError> {
                Ok(row.get::<_, Option<u64>>(column)?.map(Bytes))
            };
            let micros: u64 = row.get(4)?;
            Ok(MachineMinute {
                start,
                seconds: row.get(1)?,
                up: bytes(2)?,
                down: bytes(3)?,
                lateness: Span::from_nanos(micros.saturating_mul(1000)),
                busy: row.get(5)?,
                signal: row.get(6)?,
                retries: row.get(7)?,
            })
        })
    }

    /// The events that overlap this time, in the order of their beginnings.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn events(&self, from: Time, to: Time) -> Result<Vec<WatchEvent>, StoreError> {
        let sql =
            "SELECT id, json FROM event WHERE end_us >= ? AND start_us < ? ORDER BY start_us, id";
        self.rows(sql, params![micros(from), micros_up(to)], |row| {
            let (id, json): (_, String) = (row.get(0)?, row.get(1)?);
            let event = serde_json::from_str(&json);
            event.map_err(|error| damaged("event", id, Damage::Event(error.to_string())))
        })
    }

    /// The first time at or after `from` at which a probe of the target may be; `None` if there is none.
    pub(crate) fn next_probe(
        &self,
        target: TargetId,
        from: Time,
    ) -> Result<Option<Time>, StoreError> {
        let sql =
            "SELECT min(start_us) FROM block WHERE target = ? AND start_us >= ? AND end_us >= ?";
        self.next(sql, params![target.0, earliest_start(from), micros(from)], from)
    }

    /// The first time at or after `from` at which a second may be; `None` if there is none.
    pub(crate) fn next_second(&self, from: Time) -> Result<Option<Time>, StoreError> {
        let sql = "SELECT min(start_us) FROM second WHERE start_us >= ? AND end_us >= ?";
        self.next(sql, params![earliest_start(from), micros(from)], from)
    }

    /// The beginning of the first minute of our own end at or after `from`; `None` if there is none.
    pub(crate) fn next_machine_minute(&self, from: Time) -> Result<Option<Time>, StoreError> {
        let sql = "SELECT min(start) * 1000000 FROM machine WHERE start >= ?";
        self.next(sql, params![seconds_up(from)], from)
    }

    /// The beginning of the first summary at or after `from`; `None` if there is none.
    pub(crate) fn next_summary(
        &self,
        target: TargetId,
        from: Time,
        level: Level,
    ) -> Result<Option<Time>, StoreError> {
        let table = level.table();
        let sql =
            format!("SELECT min(start) * 1000000 FROM {table} WHERE target = ? AND start >= ?");
        self.next(&sql, params![target.0, seconds_up(from)], from)
    }

    fn next(&self, sql: &str, range: impl Params, from: Time) -> Result<Option<Time>, StoreError> {
        let read = || -> Result<Option<i64>, StoreError> {
            Ok(self.database.prepare_cached(sql)?.query_row(range, |row| row.get(0))?)
        };
        let micros = read().map_err(|error| error.within(&self.database))?;
        Ok(micros.and_then(|it| time(it).ok()).map(|it| it.max(from)))
    }

    fn rows<T>(
        &self,
        sql: &str,
        range: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.read(sql, range, read).map_err(|error| error.within(&self.database))
    }

    fn read<T>(
        &self,
        sql: &str,
        range: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.database.prepare_cached(sql)?.query_and_then(range, read)?.collect()
    }
}

/// The earliest beginning of a block that reaches to this time, in microseconds.
const fn earliest_start(from: Time) -> i64 {
    micros(from) - (LONGEST.as_nanos() / 1000) as i64
}

const fn damaged(table: &'static str, row: i64, damage: Damage) -> StoreError {
    StoreError::Row { table, row, damage }
}

/// The beginning that a row has in its first column, in seconds.
fn row_start(row: &Row<'_>, table: &'static str) -> Result<Time, StoreError> {
    let second: i64 = row.get(0)?;
    let start = second.checked_mul(1_000_000).ok_or(Damage::Range).and_then(time);
    start.map_err(|damage| damaged(table, second, damage))
}

/// The bytes of a row (`id`, bytes), read.
fn blob<T>(
    row: &Row<'_>,
    table: &'static str,
    decode: impl FnOnce(&[u8]) -> Result<T, Damage>,
) -> Result<T, StoreError> {
    let id = row.get(0)?;
    let bytes = row.get_ref(1)?.as_blob().map_err(|_| damaged(table, id, Damage::Range))?;
    decode(bytes).map_err(|damage| damaged(table, id, damage))
}
