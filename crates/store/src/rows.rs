//! Rows of the tables `minute` and `hour`.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::buckets::Buckets;
use crate::error::{Damage, StoreError};
use crate::summary::{Level, Tally};
use crate::target::TargetId;

/// The columns that [`read`] takes.
pub(crate) const COLUMNS: &str = "start, sent, late, lost, failed, buckets";

/// The row: its beginning in seconds, and what it counts.
pub(crate) fn read(row: &Row<'_>, level: Level) -> Result<(i64, Tally), StoreError> {
    let start = row.get(0)?;
    let tally = || -> Result<Tally, Damage> {
        let number = |column| row.get::<_, u64>(column).map_err(|_| Damage::Range);
        let bytes = row.get_ref(5).ok().and_then(|it| it.as_blob().ok()).ok_or(Damage::Range)?;
        let (sent, late, lost, failed) = (number(1)?, number(2)?, number(3)?, number(4)?);
        Ok(Tally { sent, late, lost, failed, buckets: Buckets::decode(bytes)? })
    };
    let tally =
        tally().map_err(|damage| StoreError::Row { table: level.table(), row: start, damage })?;
    Ok((start, tally))
}

/// Adds what is counted to the row.
pub(crate) fn add(
    database: &Connection,
    target: TargetId,
    start: i64,
    level: Level,
    tally: &Tally,
) -> Result<(), StoreError> {
    let table = level.table();
    let sql = format!("SELECT {COLUMNS} FROM {table} WHERE target = ? AND start = ?");
    let mut query = database.prepare_cached(&sql)?;
    let kept = query.query_row(params![target.0, start], |row| Ok(read(row, level)));
    let mut all = kept.optional()?.transpose()?.map(|(_, kept)| kept).unwrap_or_default();
    all.merge(tally);
    write(database, target, start, level, &all)
}

fn write(
    database: &Connection,
    target: TargetId,
    start: i64,
    level: Level,
    tally: &Tally,
) -> Result<(), StoreError> {
    let histogram = tally.buckets.histogram();
    let micros = |q: f64| histogram.quantile(q).map(|it| it / 1000);
    let table = level.table();
    let sql = format!("REPLACE INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    database.prepare_cached(&sql)?.execute(params![
        target.0,
        start,
        tally.sent,
        tally.late,
        tally.lost,
        tally.failed,
        micros(0.0),
        micros(0.5),
        micros(0.95),
        micros(0.99),
        micros(1.0),
        tally.buckets.encode(),
    ])?;
    Ok(())
}
