//! The line: which minutes were loaded by this machine, and how much later answers came then.

use results::{WatchEvent, is_watched_target};
use stats::{Histogram, ascending, quantile};
use store::{Level, MachineMinute, Reader, StoreError, Summary, Target, TargetId};
use units::{Bytes, Span, Time};

use crate::period::{HOUR, MINUTE, floor, ms};

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
/// The time that is read at once.
const PIECE: Span = Span::from_secs(86_400);

/// What the line did in some time.
pub(crate) struct Line {
    targets: Vec<TargetLine>,
    /// The beginnings of the minutes that were loaded, in order.
    loaded: Vec<Time>,
}

/// What a target showed, in order of time. Of minutes that were not loaded the median is enough.
#[derive(Default)]
struct TargetLine {
    /// The beginnings of minutes, and the medians of the round trips in milliseconds.
    medians: Vec<(Time, f64)>,
    loaded: Vec<Summary>,
    hours: Vec<Summary>,
}

impl Line {
    /// Reads what a store has of some time.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) fn read(
        reader: &Reader,
        targets: &[Target],
        from: Time,
        to: Time,
    ) -> Result<Self, StoreError> {
        let loaded = loaded_minutes(&reader.machine_minutes(from, to)?);
        let is_target = |it: &&Target| is_watched_target(&it.name);
        let read = |it: &Target| TargetLine::read(reader, it.id, [from, to], &loaded);
        let targets = targets.iter().filter(is_target).map(read).collect::<Result<_, _>>()?;
        Ok(Self { targets, loaded })
    }

    /// The time in which the line was loaded, within some time.
    pub(crate) fn loaded_time(&self, from: Time, to: Time) -> Span {
        MINUTE * self.loaded.iter().filter(|it| **it >= from && **it < to).count() as u64
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
            let late = p95_ms(within(&it.hours, |it| it.start, from, to))?;
            Some((late - it.best_ms(day.0, day.1)?).max(0.0))
        });
        beyond.reduce(f64::min)
    }

    /// The summaries of the hours of all targets that began within some time.
    pub(crate) fn hours(&self, from: Time, to: Time) -> impl Iterator<Item = &Summary> {
        self.targets.iter().flat_map(move |it| within(&it.hours, |it| it.start, from, to))
    }
}

impl TargetLine {
    fn read(
        reader: &Reader,
        target: TargetId,
        [from, to]: [Time; 2],
        loaded: &[Time],
    ) -> Result<Self, StoreError> {
        let hours = reader.summaries(target, floor(from, HOUR), to, Level::Hour)?;
        let mut line = Self { hours, ..Self::default() };
        // The histograms of all minutes together would take too much memory.
        let mut begin = from;
        while begin < to {
            let end = (begin + PIECE).min(to);
            for minute in reader.summaries(target, begin, end, Level::Minute)? {
                let median = minute.round_trips.quantile(0.5).map(ms);
                line.medians.extend(median.map(|it| (minute.start, it)));
                if loaded.binary_search(&minute.start).is_ok() {
                    line.loaded.push(minute);
                }
            }
            begin = end;
        }
        Ok(line)
    }

    /// The median of the best minutes.
    fn best_ms(&self, from: Time, to: Time) -> Option<f64> {
        let medians = within(&self.medians, |it| it.0, from, to).iter().map(|it| it.1);
        quantile(&ascending(medians), BEST)
    }
}

/// The beginnings of the minutes in which this machine loaded the line.
fn loaded_minutes(machine: &[MachineMinute]) -> Vec<Time> {
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

/// Those of an ordered list that lie within some time.
fn within<T>(all: &[T], at: impl Fn(&T) -> Time, from: Time, to: Time) -> &[T] {
    let first = all.partition_point(|it| at(it) < from);
    let behind = all.partition_point(|it| at(it) < to);
    &all[first..behind.max(first)]
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
