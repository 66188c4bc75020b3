//! What a [`store`] of a watch shows: what its page draws, grades of days, and times before and after
//! changes. It reads, and writes nothing.

mod comparison;
mod day;
mod layer;
mod line;
mod period;

use results::{
    CauseCount, SpikeCause, WatchEvent, WatchEventKind, WatchLayer, WatchReport, WatchedTarget,
};
use store::{Reader, StoreError, Target};
use units::{Span, Time};

pub use day::LocalDays;
use layer::layer;
use line::Line;

/// The steps of a layer, at most.
const STEPS: u64 = 1200;
/// The days that have a grade, and hours: the last two months.
const DAYS: Span = Span::from_secs(62 * 86_400);
/// The last hours and days that a page without a server has in finer steps.
const FINER: [Span; 3] =
    [Span::from_secs(7 * 86_400), Span::from_secs(86_400), Span::from_secs(3600)];
/// The events around which such a page has single seconds, and the time around each.
const CLOSEST: usize = 8;
const AROUND: Span = Span::from_secs(60);

/// What a store shows from one time to another, for a page. With `is_whole` it has all layers that a page
/// without a server needs.
///
/// # Errors
/// If the store cannot be read.
pub fn report(
    reader: &Reader,
    from: Time,
    to: Time,
    days: &dyn LocalDays,
    is_whole: bool,
) -> Result<WatchReport, StoreError> {
    let from = period::floor(from, period::MINUTE);
    let targets = reader.targets()?;
    let events = reader.events(from, to)?;
    let mut layers = vec![layer(reader, &targets, from, to, STEPS)?];
    if is_whole {
        layers.extend(finer(reader, &targets, &events, from, to)?);
    }
    let recent = from.max(to - DAYS);
    let line = Line::read(reader, &targets, recent, to)?;
    Ok(WatchReport {
        from_s: from.as_secs_f64(),
        to_s: to.as_secs_f64(),
        targets: targets
            .iter()
            .map(|it| counted(reader, it, from, to))
            .collect::<Result<_, _>>()?,
        layers,
        causes: causes(&events),
        days: day::days(&line, &events, recent, to, days),
        comparisons: comparison::comparisons(&line, &events, recent, to),
        events,
        ..WatchReport::default()
    })
}

/// A part of it, in finer steps: one layer, and the events.
///
/// # Errors
/// If the store cannot be read.
pub fn part(reader: &Reader, from: Time, to: Time) -> Result<WatchReport, StoreError> {
    let targets = reader.targets()?;
    Ok(WatchReport {
        from_s: from.as_secs_f64(),
        to_s: to.as_secs_f64(),
        layers: vec![layer(reader, &targets, from, to, STEPS)?],
        events: reader.events(from, to)?,
        ..WatchReport::default()
    })
}

/// The first and the last time of a store; `None` if nothing was kept.
///
/// # Errors
/// If the store cannot be read.
pub fn range(reader: &Reader) -> Result<Option<(Time, Time)>, StoreError> {
    let targets = reader.targets()?;
    let first = targets.iter().filter_map(|it| it.first).min();
    let last = targets.iter().filter_map(|it| it.last).max();
    // The last probe lies within.
    Ok(first.zip(last.map(|it| it + Span::from_secs(1))))
}

/// Layers of the last week, day and hour, and of single seconds around the latest spikes.
fn finer(
    reader: &Reader,
    targets: &[Target],
    events: &[WatchEvent],
    from: Time,
    to: Time,
) -> Result<Vec<WatchLayer>, StoreError> {
    let whole = to.since(from);
    let lasts = FINER.iter().filter(|it| **it < whole).map(|it| (to - *it, to));
    let is_spike = |it: &&WatchEvent| matches!(it.what, WatchEventKind::Spike(_));
    let spikes = events.iter().rev().filter(is_spike).take(CLOSEST).map(|it| {
        let start = Time::ZERO + Span::from_secs_f64(it.start_s);
        let end = start + Span::from_secs_f64(it.duration_s.min(600.0));
        ((start - AROUND).max(from), (end + AROUND).min(to))
    });
    lasts.chain(spikes).map(|(from, to)| layer(reader, targets, from, to, STEPS)).collect()
}

/// What came of all probes of a target.
fn counted(
    reader: &Reader,
    target: &Target,
    from: Time,
    to: Time,
) -> Result<WatchedTarget, StoreError> {
    let counts = period::counts(&period::summaries(reader, target.id, from, to)?);
    Ok(WatchedTarget { name: target.name.clone(), counts })
}

/// The spikes by cause, the most frequent first.
fn causes(events: &[WatchEvent]) -> Vec<CauseCount> {
    let count = |cause: &SpikeCause| {
        let of =
            |it: &&WatchEvent| matches!(&it.what, WatchEventKind::Spike(it) if it.cause == *cause);
        let spikes = events.iter().filter(of).count() as u64;
        let total_s = events.iter().filter(of).map(|it| it.duration_s).sum();
        CauseCount { cause: *cause, spikes, total_s }
    };
    let mut causes: Vec<_> = SpikeCause::ALL.iter().map(count).filter(|it| it.spikes > 0).collect();
    causes.sort_by_key(|it| std::cmp::Reverse(it.spikes));
    causes
}
