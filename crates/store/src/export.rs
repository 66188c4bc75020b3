//! What a store keeps as a table for other programs.

mod cell;
mod columns;
mod lines;

use std::io;

use observation::{ProbeFailure, ProbeOutcome, WatchedProbe, WatchedSecond};
use results::WatchEvent;
use units::{Span, Time};

use crate::error::StoreError;
use crate::event::EventRow;
use crate::machine::MachineMinute;
use crate::reader::Reader;
use crate::summary::{Level, Summary};
use crate::target::Target;
use cell::{Cell, Column, Kind};

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exported {
    /// Each probe: `target`, `sent_s`, `round_trip_ms`, `up_offset_ms`, `outcome`, `extra` (1 for an extra
    /// probe, which minutes and hours do not count).
    Probes,
    /// Minutes: `target`, `start_s`, `width_s`, `sent`, `late`, `lost`, `failed`, `min_ms`, `p50_ms`, `p95_ms`,
    /// `p99_ms`, `max_ms`.
    Minutes,
    /// Hours, with the same columns.
    Hours,
    /// Seconds of our own end: `end_s`, `up_bytes`, `down_bytes`, `lateness_ms`, `busy_percent`,
    /// `signal_dbm`, `retries`.
    Seconds,
    /// Minutes of our own end: `start_s`, `seconds` (those that were seen), `up_bytes`, `down_bytes`, `lateness_ms` and
    /// `busy_percent` (the greatest), `signal_dbm` (the weakest), `retries`.
    Machine,
    /// Events: `start_s`, `duration_s`, `kind`, `cause`, `event` (all of it as JSON).
    Events,
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values: a line of names, then one line a row; cells without a value are empty.
    Csv,
    /// Apache Parquet: columns of doubles, 64-bit integers and texts, null where there is no value. The
    /// metadata has `schema` `unbloat.watch` and `version` 1.
    Parquet,
    /// An object of JSON a line, without the cells that have no value.
    JsonLines,
}

/// The time of which rows are held in memory: 21,600 probes at one a second.
const WINDOW: Span = Span::from_secs(6 * 3600);

/// The same of minutes: 1,440.
const DAY: Span = Span::from_secs(24 * 3600);

/// Writes what was kept of this time, target by target and in the order of time. `from` is the first time that
/// counts, `to` the first that does not. The writer should be buffered.
///
/// # Errors
/// If the store cannot be read, or `out` not be written.
pub fn export(
    reader: &Reader,
    what: Exported,
    from: Time,
    to: Time,
    format: Format,
    out: impl io::Write,
) -> Result<(), StoreError> {
    let mut table = Writer::new(out, format, columns_of(what))?;
    let range = (from, to);
    match what {
        Exported::Probes => probes(reader, range, &mut table)?,
        Exported::Minutes => summaries(reader, range, Level::Minute, &mut table)?,
        Exported::Hours => summaries(reader, range, Level::Hour, &mut table)?,
        Exported::Seconds => seconds(reader, range, &mut table)?,
        Exported::Machine => machine(reader, range, &mut table)?,
        Exported::Events => {
            for event in reader.events(from, to)? {
                let row = EventRow::of(&event)?;
                table.row(&event_cells(&event, &row))?;
            }
        }
    }
    Ok(table.finish()?)
}

enum Writer<W: io::Write> {
    Lines(lines::Lines<W>),
    Columns(Box<columns::Columns<W>>),
}

impl<W: io::Write> Writer<W> {
    fn new(out: W, format: Format, columns: &'static [Column]) -> io::Result<Self> {
        Ok(match format {
            Format::Csv => Self::Lines(lines::Lines::csv(out, columns)?),
            Format::JsonLines => Self::Lines(lines::Lines::json(out, columns)),
            Format::Parquet => Self::Columns(columns::Columns::new(out, columns)?.into()),
        })
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        match self {
            Self::Lines(lines) => lines.row(cells),
            Self::Columns(columns) => columns.row(cells),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Lines(lines) => lines.finish(),
            Self::Columns(columns) => columns.finish(),
        }
    }
}

const fn columns_of(what: Exported) -> &'static [Column] {
    const fn column(name: &'static str, kind: Kind) -> Column {
        Column { name, kind }
    }
    use Kind::{Real, Text, Whole};
    const PROBES: &[Column] = &[
        column("target", Text),
        column("sent_s", Real),
        column("round_trip_ms", Real),
        column("up_offset_ms", Real),
        column("outcome", Text),
        column("extra", Whole),
    ];
    const SUMMARIES: &[Column] = &[
        column("target", Text),
        column("start_s", Real),
        column("width_s", Real),
        column("sent", Whole),
        column("late", Whole),
        column("lost", Whole),
        column("failed", Whole),
        column("min_ms", Real),
        column("p50_ms", Real),
        column("p95_ms", Real),
        column("p99_ms", Real),
        column("max_ms", Real),
    ];
    const SECONDS: &[Column] = &[
        column("end_s", Real),
        column("up_bytes", Whole),
        column("down_bytes", Whole),
        column("lateness_ms", Real),
        column("busy_percent", Whole),
        column("signal_dbm", Whole),
        column("retries", Whole),
    ];
    const MACHINE: &[Column] = &[
        column("start_s", Real),
        column("seconds", Whole),
        column("up_bytes", Whole),
        column("down_bytes", Whole),
        column("lateness_ms", Real),
        column("busy_percent", Whole),
        column("signal_dbm", Whole),
        column("retries", Whole),
    ];
    const EVENTS: &[Column] = &[
        column("start_s", Real),
        column("duration_s", Real),
        column("kind", Text),
        column("cause", Text),
        column("event", Text),
    ];
    match what {
        Exported::Probes => PROBES,
        Exported::Minutes | Exported::Hours => SUMMARIES,
        Exported::Seconds => SECONDS,
        Exported::Machine => MACHINE,
        Exported::Events => EVENTS,
    }
}

fn probes<W: io::Write>(
    reader: &Reader,
    range: (Time, Time),
    table: &mut Writer<W>,
) -> Result<(), StoreError> {
    for target in reader.targets()? {
        let next = |from| reader.next_probe(target.id, from);
        each_window(range, WINDOW, next, |start, end| {
            let probes = reader.probes(target.id, start, end)?;
            probes.iter().try_for_each(|probe| Ok(table.row(&probe_cells(&target, probe))?))
        })?;
    }
    Ok(())
}

fn seconds<W: io::Write>(
    reader: &Reader,
    range: (Time, Time),
    table: &mut Writer<W>,
) -> Result<(), StoreError> {
    each_window(
        range,
        WINDOW,
        |from| reader.next_second(from),
        |start, end| {
            reader
                .seconds(start, end)?
                .iter()
                .try_for_each(|second| Ok(table.row(&second_cells(second))?))
        },
    )
}

fn machine<W: io::Write>(
    reader: &Reader,
    range: (Time, Time),
    table: &mut Writer<W>,
) -> Result<(), StoreError> {
    each_window(
        range,
        DAY,
        |from| reader.next_machine_minute(from),
        |start, end| {
            let minutes = reader.machine_minutes(start, end)?;
            minutes.iter().try_for_each(|minute| Ok(table.row(&machine_cells(minute))?))
        },
    )
}

/// Writes a range window by window, so that memory holds one. `next` gives the first time at or after another one at which
/// there is something.
fn each_window(
    range: (Time, Time),
    length: Span,
    next: impl Fn(Time) -> Result<Option<Time>, StoreError>,
    mut write: impl FnMut(Time, Time) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut from = range.0;
    while let Some(start) = next(from)?.filter(|it| *it < range.1) {
        let end = (start + length).min(range.1);
        write(start, end)?;
        from = end;
    }
    Ok(())
}

fn summaries<W: io::Write>(
    reader: &Reader,
    range: (Time, Time),
    level: Level,
    table: &mut Writer<W>,
) -> Result<(), StoreError> {
    for target in reader.targets()? {
        let mut from = range.0;
        while let Some(start) =
            reader.next_summary(target.id, from, level)?.filter(|it| *it < range.1)
        {
            let end = (start + DAY).min(range.1);
            for summary in reader.summaries(target.id, start, end, level)? {
                table.row(&summary_cells(&target, &summary))?;
            }
            from = end;
        }
    }
    Ok(())
}

fn probe_cells<'a>(target: &'a Target, probe: &WatchedProbe) -> [Cell<'a>; 6] {
    let up = match probe.outcome {
        ProbeOutcome::Answered { up, .. } => up,
        ProbeOutcome::Lost | ProbeOutcome::Failed(_) => None,
    };
    [
        Cell::text(&target.name),
        Cell::seconds(probe.sent),
        Cell::millis(probe.outcome.round_trip()),
        Cell::Real(up.map(|it| it as f64 / 1e6)),
        Cell::text(word(probe.outcome)),
        Cell::whole(Some(probe.is_extra)),
    ]
}

const fn word(outcome: ProbeOutcome) -> &'static str {
    match outcome {
        ProbeOutcome::Answered { .. } => "answered",
        ProbeOutcome::Lost => "lost",
        ProbeOutcome::Failed(ProbeFailure::NoRoute) => "no_route",
        ProbeOutcome::Failed(ProbeFailure::Unreachable) => "unreachable",
        ProbeOutcome::Failed(ProbeFailure::Name) => "no_name",
        ProbeOutcome::Failed(ProbeFailure::Answer) => "bad_answer",
    }
}

fn second_cells(second: &WatchedSecond) -> [Cell<'static>; 7] {
    [
        Cell::seconds(second.at),
        Cell::whole(second.up.map(|it| it.0)),
        Cell::whole(second.down.map(|it| it.0)),
        Cell::millis(Some(second.lateness)),
        Cell::whole(second.busy),
        Cell::Whole(second.signal.map(i64::from)),
        Cell::whole(second.retries),
    ]
}

fn machine_cells(minute: &MachineMinute) -> [Cell<'static>; 8] {
    [
        Cell::seconds(minute.start),
        Cell::whole(Some(minute.seconds)),
        Cell::whole(minute.up.map(|it| it.0)),
        Cell::whole(minute.down.map(|it| it.0)),
        Cell::millis(Some(minute.lateness)),
        Cell::whole(minute.busy),
        Cell::Whole(minute.signal.map(i64::from)),
        Cell::whole(minute.retries),
    ]
}

fn summary_cells<'a>(target: &'a Target, summary: &Summary) -> [Cell<'a>; 12] {
    let quantile = |q: f64| Cell::millis(summary.round_trips.quantile(q).map(Span::from_nanos));
    [
        Cell::text(&target.name),
        Cell::seconds(summary.start),
        Cell::Real(Some(summary.width.as_secs_f64())),
        Cell::whole(Some(summary.sent)),
        Cell::whole(Some(summary.late)),
        Cell::whole(Some(summary.lost)),
        Cell::whole(Some(summary.failed)),
        quantile(0.0),
        quantile(0.5),
        quantile(0.95),
        quantile(0.99),
        quantile(1.0),
    ]
}

fn event_cells<'a>(event: &WatchEvent, row: &'a EventRow) -> [Cell<'a>; 5] {
    [
        Cell::Real(Some(event.start_s)),
        Cell::Real(Some(event.duration_s)),
        Cell::Text(row.kind()),
        Cell::Text(row.cause()),
        Cell::Json(&row.json),
    ]
}
