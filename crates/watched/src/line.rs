//! The line: how much later answers came while this machine loaded it.

use std::collections::BTreeMap;

use results::WatchEvent;
use stats::{ascending, quantile};
use store::{Level, Reader, StoreError, Summary, Target, TargetId};
use units::{Span, Time};

use crate::grade::Added;
use crate::load::Load;
use crate::period::{HOUR, MINUTE, counts, floor, within};

/// The quantile of the medians of minutes that stands for a path without queues.
const BEST: f64 = 0.1;
/// What the line did in some time.
pub(crate) struct Line {
    targets: Vec<TargetLine>,
    pub(crate) load: Load,
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
    /// True if this machine did not load the line then.
    is_calm: bool,
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
        load: Load,
        from: Time,
        to: Time,
    ) -> Result<Self, StoreError> {
        let read = |it: &&Target| TargetLine::read(reader, it.id, [from, to], &load);
        let targets = targets.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { targets, load, hours })
    }

    /// The delay that the load added in some time, over the loaded minutes; `None` if these are too few. It is
    /// that of the target where it was least, of those with enough answers: what the line adds, it adds to all.
    pub(crate) fn added(&self, from: Time, to: Time) -> Option<Added> {
        if !self.load.has_loaded(from, to) {
            return None;
        }
        let added = self.targets.iter().map(|it| {
            let loaded = counts(within(&it.loaded, |it| it.start, from, to));
            let p95_ms = loaded.p95_ms.zip(it.best_ms(from, to));
            Added {
                p95_ms: p95_ms.map(|(late, best)| (late - best).max(0.0)),
                answers: loaded.sent - loaded.unanswered(),
                unanswered: loaded.loss().unwrap_or(1.0),
                has_calm: self.load.has_calm(from, to),
                has_loaded: true,
            }
        });
        added.min_by(|one, other| {
            let ms = |it: &Added| it.p95_ms.unwrap_or(f64::INFINITY);
            let by_answers = other.has_answers().cmp(&one.has_answers());
            by_answers.then(ms(one).total_cmp(&ms(other)))
        })
    }

    /// The delay in milliseconds that the load added in some time, 95th percentile; `None` if it is not known.
    pub(crate) fn added_p95_ms(&self, from: Time, to: Time) -> Option<f64> {
        self.added(from, to).filter(|it| it.grade().is_ok())?.p95_ms
    }

    /// The delay in milliseconds beyond the best median of `day`, 95th percentile over some hours of it, of
    /// the target where it was least; `None` if nothing was answered, or if no best minutes are known.
    pub(crate) fn beyond_ms(&self, from: Time, to: Time, day: (Time, Time)) -> Option<f64> {
        let beyond = self.targets.iter().filter_map(|it| {
            let hours = within(&it.hours, |it| it.0, from, to).iter().map(|it| it.1);
            let probed = MINUTE * within(&it.medians, Median::start, day.0, day.1).len() as u64;
            let late = hours.reduce(f64::max)?;
            let is_comparable = self.load.is_comparable(day.0, day.1, probed);
            is_comparable.then_some((late - it.best_ms(day.0, day.1)?).max(0.0))
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
        load: &Load,
    ) -> Result<Self, StoreError> {
        let ms = |it: Span| it.as_millis_f64();
        let hours = reader.percentiles(target, floor(from, HOUR), to, Level::Hour)?;
        let hours = hours.iter().filter_map(|it| Some((it.start, ms(it.p95?)))).collect();
        let minutes = reader.percentiles(target, from, to, Level::Minute)?;
        let medians = minutes.iter().filter_map(|it| Median::of(it.start, it.p50?, load)).collect();
        let mut seen = Vec::new();
        for run in load.loaded(from, to).chunk_by(|one, next| *next == *one + MINUTE) {
            let (first, behind) = (run[0], run[run.len() - 1] + MINUTE);
            seen.extend(reader.summaries(target, first, behind, Level::Minute)?);
        }
        Ok(Self { medians, loaded: seen, hours })
    }

    /// The median of the best calm minutes, or of all if none was calm.
    fn best_ms(&self, from: Time, to: Time) -> Option<f64> {
        let medians = within(&self.medians, Median::start, from, to);
        let calm = ascending(medians.iter().filter(|it| it.is_calm).map(Median::ms));
        quantile(&calm, BEST).or_else(|| quantile(&ascending(medians.iter().map(Median::ms)), BEST))
    }
}

impl Median {
    /// The median of a minute; `None` if it is longer than an hour, or the minute is far from now.
    fn of(start: Time, median: Span, load: &Load) -> Option<Self> {
        let minute = u32::try_from(start.as_nanos() / MINUTE.as_nanos()).ok()?;
        let micros = u32::try_from(median.as_nanos() / 1000).ok()?;
        Some(Self { minute, micros, is_calm: load.is_calm(start, MINUTE) })
    }

    fn start(&self) -> Time {
        Time::ZERO + MINUTE * u64::from(self.minute)
    }

    fn ms(&self) -> f64 {
        f64::from(self.micros) / 1e3
    }
}

/// The time of the beginning of an event.
pub(crate) fn start(event: &WatchEvent) -> Time {
    Time::ZERO + Span::from_secs_f64(event.start_s)
}
