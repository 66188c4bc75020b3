//! The line: which minutes were loaded by this machine, and how much later answers came then.

use std::collections::BTreeMap;

use results::WatchEvent;
use stats::{Histogram, ascending, quantile};
use store::{Level, MachineMinute, Reader, StoreError, Summary, Target, TargetId};
use units::{Bytes, Span, Time};

use crate::period::{HOUR, MINUTE, floor, ms, within};

/// The part of the greatest rate of a minute from which on a minute is loaded: a transfer of 20 s at the full
/// rate.
const LOADED: f64 = 0.3;
/// The least rate in bytes a second that loads anything: 500 kbit/s.
const LEAST_RATE: f64 = 62_500.0;
/// The quantile of the rates of minutes that stands for the greatest: one minute may be a mistake.
const GREATEST: f64 = 0.999;
/// The time without which there is no grade.
const LEAST_LOADED: Span = Span::from_secs(180);
/// The quantile of the medians of minutes that stands for a path without queues.
const BEST: f64 = 0.1;
/// The time within which the greatest rate is looked for: after months a line may be another one.
const LEARNED: Span = Span::from_secs(62 * 86_400);

/// What the line did in some time.
pub(crate) struct Line {
    targets: Vec<TargetLine>,
    /// The beginnings of the minutes that were loaded, in order.
    loaded: Vec<Time>,
    /// What came of the probes to all targets together.
    hours: BTreeMap<Time, Summary>,
}

/// What a target showed, in order of time. Of minutes that were not loaded the median is enough.
struct TargetLine {
    medians: Vec<Median>,
    loaded: Vec<Summary>,
    /// The beginnings of hours, and the 95th percentiles of the round trips in milliseconds.
    hours: Vec<(Time, f64)>,
}

/// The median of a minute: of a year there are half a million for each target.
struct Median {
    /// The minute since 1970.
    minute: u32,
    micros: u32,
}

impl Line {
    /// Reads what a store has of some time.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) fn read(
        reader: &Reader,
        targets: &[&Target],
        hours: BTreeMap<Time, Summary>,
        from: Time,
        to: Time,
    ) -> Result<Self, StoreError> {
        let loaded = loaded_minutes(&reader.machine_minutes(from, to)?, to);
        let read = |it: &&Target| TargetLine::read(reader, it.id, [from, to], &loaded);
        let targets = targets.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { targets, loaded, hours })
    }

    /// The time in which the line was loaded, within some time.
    pub(crate) fn loaded_time(&self, from: Time, to: Time) -> Span {
        MINUTE * within(&self.loaded, |it| *it, from, to).len() as u64
    }

    /// The delay in milliseconds that the load added in some time, 95th percentile over the loaded minutes;
    /// `None` if these are too few. It is that of the target where it was least: what the line adds, it adds
    /// to all.
    pub(crate) fn added_p95_ms(&self, from: Time, to: Time) -> Option<f64> {
        if self.loaded_time(from, to) < LEAST_LOADED {
            return None;
        }
        let added = self.targets.iter().filter_map(|it| {
            let late = p95_ms(within(&it.loaded, |it| it.start, from, to))?;
            Some((late - it.best_ms(from, to)?).max(0.0))
        });
        added.reduce(f64::min)
    }

    /// The delay in milliseconds beyond the best median of `day`, 95th percentile over some hours of it, of
    /// the target where it was least; `None` if nothing was answered.
    pub(crate) fn beyond_ms(&self, from: Time, to: Time, day: (Time, Time)) -> Option<f64> {
        let beyond = self.targets.iter().filter_map(|it| {
            let hours = within(&it.hours, |it| it.0, from, to).iter().map(|it| it.1);
            Some((hours.reduce(f64::max)? - it.best_ms(day.0, day.1)?).max(0.0))
        });
        beyond.reduce(f64::min)
    }

    /// What came of the probes to all targets in the hours that began within some time.
    pub(crate) fn hours(&self, from: Time, to: Time) -> impl Iterator<Item = &Summary> {
        self.hours.range(from..to.max(from)).map(|it| it.1)
    }
}

impl TargetLine {
    fn read(
        reader: &Reader,
        target: TargetId,
        [from, to]: [Time; 2],
        loaded: &[Time],
    ) -> Result<Self, StoreError> {
        let ms = |it: Span| it.as_millis_f64();
        let hours = reader.percentiles(target, floor(from, HOUR), to, Level::Hour)?;
        let hours = hours.iter().filter_map(|it| Some((it.start, ms(it.p95?)))).collect();
        let minutes = reader.percentiles(target, from, to, Level::Minute)?;
        let medians = minutes.iter().filter_map(|it| Median::of(it.start, it.p50?)).collect();
        let mut seen = Vec::new();
        for run in loaded.chunk_by(|one, next| *next == *one + MINUTE) {
            let (first, behind) = (run[0], run[run.len() - 1] + MINUTE);
            seen.extend(reader.summaries(target, first, behind, Level::Minute)?);
        }
        Ok(Self { medians, loaded: seen, hours })
    }

    /// The median of the best minutes.
    fn best_ms(&self, from: Time, to: Time) -> Option<f64> {
        let medians = within(&self.medians, Median::start, from, to);
        quantile(&ascending(medians.iter().map(Median::ms)), BEST)
    }
}

impl Median {
    /// The median of a minute; `None` if it is longer than an hour, or the minute is far from now.
    fn of(start: Time, median: Span) -> Option<Self> {
        let minute = u32::try_from(start.as_nanos() / MINUTE.as_nanos()).ok()?;
        Some(Self { minute, micros: u32::try_from(median.as_nanos() / 1000).ok()? })
    }

    fn start(&self) -> Time {
        Time::ZERO + MINUTE * u64::from(self.minute)
    }

    fn ms(&self) -> f64 {
        f64::from(self.micros) / 1e3
    }
}

/// The beginnings of the minutes in which this machine loaded the line, in order.
fn loaded_minutes(machine: &[MachineMinute], to: Time) -> Vec<Time> {
    let part = |it: &MachineMinute| to.since(it.start).as_nanos() / LEARNED.as_nanos();
    machine.chunk_by(|one, next| part(one) == part(next)).flat_map(loaded_of).collect()
}

fn loaded_of(machine: &[MachineMinute]) -> Vec<Time> {
    let rates = |bytes: fn(&MachineMinute) -> Option<Bytes>| -> Vec<f64> {
        let rate = |it: &MachineMinute| {
            bytes(it).map_or(0.0, |bytes| bytes.0 as f64 / it.seconds.max(1) as f64)
        };
        machine.iter().map(rate).collect()
    };
    let directions = [rates(|it| it.up), rates(|it| it.down)];
    let bounds = directions.each_ref().map(|rates| {
        let greatest = quantile(&ascending(rates.iter().copied()), GREATEST).unwrap_or(0.0);
        (LOADED * greatest).max(LEAST_RATE)
    });
    let is_loaded =
        |index: usize| directions.iter().zip(bounds).any(|(rates, bound)| rates[index] >= bound);
    let loaded = machine.iter().enumerate().filter(|(index, _)| is_loaded(*index));
    loaded.map(|(_, it)| it.start).collect()
}

fn p95_ms(summaries: &[Summary]) -> Option<f64> {
    let mut all = Histogram::new();
    summaries.iter().for_each(|it| all.merge(&it.round_trips));
    all.quantile(0.95).map(ms)
}

/// The time of the beginning of an event.
pub(crate) fn start(event: &WatchEvent) -> Time {
    Time::ZERO + Span::from_secs_f64(event.start_s)
}
