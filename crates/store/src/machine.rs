//! The state of our own end in a minute.

use observation::WatchedSecond;
use rusqlite::{Connection, OptionalExtension, params};
use units::{Bytes, Span, Time};

/// A minute of our own end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineMinute {
    /// The beginning, since 1970 (UTC).
    pub start: Time,
    /// The seconds of it that were seen.
    pub seconds: u64,
    /// Bytes that left the interface to the targets; `None` if no counter told.
    pub up: Option<Bytes>,
    /// Bytes that came in there; `None` if no counter told.
    pub down: Option<Bytes>,
    /// The longest time by which we were woken too late.
    pub lateness: Span,
    /// The busy part of the busiest processor in its busiest second, in percent; `None` if it is not known.
    pub busy: Option<u8>,
    /// The weakest signal of the Wi-Fi in dBm; `None` without Wi-Fi.
    pub signal: Option<i8>,
    /// Frames of the Wi-Fi that were sent again; `None` without Wi-Fi.
    pub retries: Option<u64>,
}

/// What a row of `machine` counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Machine {
    seconds: i64,
    up: Option<i64>,
    down: Option<i64>,
    lateness: i64,
    busy: Option<u8>,
    signal: Option<i8>,
    retries: Option<i64>,
}

impl Machine {
    pub(crate) fn record(&mut self, second: &WatchedSecond) {
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.merge(&Self {
            seconds: 1,
            up: second.up.map(|it| whole(it.0)),
            down: second.down.map(|it| whole(it.0)),
            lateness: whole(second.lateness.as_nanos() / 1000),
            busy: second.busy,
            signal: second.signal,
            retries: second.retries.map(i64::from),
        });
    }

    fn merge(&mut self, other: &Self) {
        self.seconds = self.seconds.saturating_add(other.seconds);
        self.up = both(self.up, other.up, i64::saturating_add);
        self.down = both(self.down, other.down, i64::saturating_add);
        self.lateness = self.lateness.max(other.lateness);
        self.busy = both(self.busy, other.busy, u8::max);
        self.signal = both(self.signal, other.signal, i8::min);
        self.retries = both(self.retries, other.retries, i64::saturating_add);
    }

    /// Adds what is counted to the row of the minute.
    pub(crate) fn write(&self, database: &Connection, start: i64) -> Result<(), rusqlite::Error> {
        let sql =
            "SELECT seconds, up_bytes, down_bytes, lateness_us, busy_percent, signal_dbm, retries
            FROM machine WHERE start = ?";
        let mut query = database.prepare_cached(sql)?;
        let kept = query.query_row([start], |row| {
            Ok(Self {
                seconds: row.get(0)?,
                up: row.get(1)?,
                down: row.get(2)?,
                lateness: row.get(3)?,
                busy: row.get(4)?,
                signal: row.get(5)?,
                retries: row.get(6)?,
            })
        });
        let mut all = kept.optional()?.unwrap_or_default();
        all.merge(self);
        database.prepare_cached("REPLACE INTO machine VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?.execute(
            params![
                start,
                all.seconds,
                all.up,
                all.down,
                all.lateness,
                all.busy,
                all.signal,
                all.retries
            ],
        )?;
        Ok(())
    }
}

fn both<T>(one: Option<T>, other: Option<T>, join: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(join(one, other)),
        (one, other) => one.or(other),
    }
}
