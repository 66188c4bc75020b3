//! How long what a watch keeps is kept.

use rusqlite::{Connection, params};
use units::Span;

use crate::error::StoreError;

/// Rows of a table and target that a call deletes, and of all together.
const ROWS: usize = 500;
const ALL_ROWS: usize = 20_000;
/// Pages of 16 KiB that a call gives back to the disk.
const PAGES: usize = 256;
/// Hours that must have been kept before one from which ages count.
const HOURS: usize = 24;

const DAY: u64 = 24 * 60 * 60;

/// How long each kind is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Probes and seconds.
    pub raw: Span,
    /// Minutes.
    pub minutes: Span,
    /// Hours.
    pub hours: Span,
    /// Events.
    pub events: Span,
}

impl Default for Retention {
    /// 35 days of probes and seconds, 400 days of minutes, five years of hours and events.
    fn default() -> Self {
        let days = |days| Span::from_secs(days * DAY);
        Self { raw: days(35), minutes: days(400), hours: days(5 * 365), events: days(5 * 365) }
    }
}

/// Deletes a part of what is too old, and gives space back.
pub(crate) fn retain(database: &mut Connection, retention: &Retention) -> Result<(), StoreError> {
    let targets: Vec<i64> = {
        let mut query = database.prepare_cached("SELECT id FROM target")?;
        query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    let Some(now) = newest_certain_hour(database, &targets)? else { return Ok(()) };
    let seconds = |age: Span| (now - (age.as_nanos() / 1_000_000_000) as i64).max(0);
    let micros = |age: Span| seconds(age).saturating_mul(1_000_000);
    let all = database.transaction()?;
    let mut deleted = 0;
    for target in targets {
        deleted += delete(&all, "block", "start_us", Some(target), micros(retention.raw))?;
        deleted += delete(&all, "minute", "start", Some(target), seconds(retention.minutes))?;
        deleted += delete(&all, "hour", "start", Some(target), seconds(retention.hours))?;
        if deleted > ALL_ROWS {
            break;
        }
    }
    delete(&all, "second", "start_us", None, micros(retention.raw))?;
    delete(&all, "machine", "start", None, seconds(retention.minutes))?;
    delete(&all, "event", "end_us", None, micros(retention.events))?;
    all.commit()?;
    let mut vacuum = database.prepare(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
    let mut rows = vacuum.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

/// The beginning of the newest hour of any target before which [`HOURS`] later ones were kept, in seconds.
fn newest_certain_hour(database: &Connection, targets: &[i64]) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT max(start) FROM (SELECT start FROM hour WHERE target = ?
        ORDER BY start DESC LIMIT 1 OFFSET ?)";
    let mut query = database.prepare_cached(sql)?;
    let mut newest = None;
    for target in targets {
        newest = newest.max(query.query_row(params![target, HOURS], |row| row.get(0))?);
    }
    Ok(newest)
}

/// Deletes the first rows of a table before `end`; returns how many.
fn delete(
    database: &Connection,
    table: &str,
    column: &str,
    target: Option<i64>,
    end: i64,
) -> Result<usize, StoreError> {
    let of = target.map_or_else(String::new, |_| "target = ?2 AND ".to_owned());
    // The row behind the last one that this call deletes, or the end.
    let some = format!(
        "SELECT {column} FROM {table} WHERE {of}{column} < ?1 ORDER BY {column} LIMIT 1 OFFSET {ROWS}"
    );
    let sql = format!("DELETE FROM {table} WHERE {of}{column} < ifnull(({some}), ?1)");
    let mut statement = database.prepare_cached(&sql)?;
    Ok(match target {
        Some(target) => statement.execute(params![end, target])?,
        None => statement.execute(params![end])?,
    })
}
