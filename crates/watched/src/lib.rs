//! What a [`store`] of a watch shows: what its page draws, grades of days, and times before and after
//! changes. It reads, and writes nothing.

mod comparison;
mod day;
mod grade;
mod grid;
mod layer;
mod line;
mod load;
mod overview;
mod period;

use results::{
    CauseCount, Spike, SpikeCause, WatchEvent, WatchEventKind, WatchLayer, WatchReport,
    is_watched_target, ranked_targets,
};
use store::{Reader, StoreError, Target};
use units::{Span, Time};

pub use day::LocalDays;
use layer::layer;
use line::Line;
use load::Load;
use overview::Overview;

/// The steps of a layer, at most.
const STEPS: u64 = 1200;
/// The days that have a grade, and hours: those of which minutes are kept.
const DAYS: Span = Span::from_secs(400 * 86_400);
/// The targets that are drawn at most, beside the hops and this machine, if nobody asks for others.
const DRAWN: usize = 12;
/// The targets at most that tell what the line did: what it adds, it adds to all.
const OF_LINE: usize = 12;
/// The last hours and days that a page without a server has in finer steps.
const FINER: [Span; 3] =
    [Span::from_secs(7 * 86_400), Span::from_secs(86_400), Span::from_secs(3600)];
/// The events around which such a page has single seconds, and the time around each.
const CLOSEST: usize = 8;
const AROUND: Span = Span::from_secs(60);

/// The targets that a page draws.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// The ones that suffered most, and the hops.
    Worst,
    /// These, by their places in [`Reader::targets`], and the hops.
    These(Vec<usize>),
}

/// What a store shows from one time to another, for a page. With `is_whole` it has all layers that a page
/// without a server needs.
///
/// # Errors
/// If the store cannot be read.
pub fn report(
    reader: &Reader,
    [from, to]: [Time; 2],
    days: &dyn LocalDays,
    wanted: &Drawn,
    is_whole: bool,
) -> Result<WatchReport, StoreError> {
    // Summaries are known by their beginnings.
    let begin = period::floor(from, period::MINUTE);
    let targets = reader.targets()?;
    let events = reader.events(begin, to)?;
    let load = Load::read(reader, begin, to)?;
    let seen = Overview::read(reader, &targets, &load, begin, to)?;
    let places = drawn(&seen, wanted);
    let of = |places: &[usize]| -> Vec<&Target> {
        places.iter().filter_map(|it| targets.get(*it)).collect()
    };
    let shown = of(&places);
    let mut layers = vec![layer(reader, &shown, begin, to, STEPS)?];
    if is_whole {
        layers.extend(finer(reader, &shown, &events, begin, to)?);
    }
    let recent = begin.max(to - DAYS);
    let line = Line::read(reader, &of(&of_line(&seen)), seen.hours, load, recent, to)?;
    Ok(WatchReport {
        from_s: from.as_secs_f64(),
        to_s: to.as_secs_f64(),
        targets: seen.targets,
        drawn: places.iter().map(|it| *it as u32).collect(),
        layers,
        causes: causes(&events),
        days: day::days(&line, &events, recent, to, days),
        comparisons: comparison::comparisons(&line, &events, recent, to),
        events,
        ..WatchReport::default()
    })
}

/// The places of the targets that are drawn, the worst first, then the hops and this machine.
fn drawn(seen: &Overview, wanted: &Drawn) -> Vec<usize> {
    let mut places: Vec<usize> = match wanted {
        Drawn::Worst => ranked_targets(&seen.targets).into_iter().take(DRAWN).collect(),
        Drawn::These(places) => {
            places.iter().copied().filter(|it| *it < seen.targets.len()).collect()
        }
    };
    let beside = (0..seen.targets.len()).filter(|it| {
        let target = &seen.targets[*it];
        !is_watched_target(&target.name) && target.counts.sent > 0 && !places.contains(it)
    });
    let beside: Vec<usize> = beside.collect();
    places.extend(beside);
    places
}

/// The places of the targets that tell what the line did: those with the most answers.
fn of_line(seen: &Overview) -> Vec<usize> {
    let mut places = ranked_targets(&seen.targets);
    let answers = |it: &usize| {
        let counts = seen.targets[*it].counts;
        counts.sent - counts.unanswered()
    };
    places.sort_by_key(|it| std::cmp::Reverse(answers(it)));
    places.truncate(OF_LINE);
    places
}

/// A part of it, in finer steps: one layer of these targets, by their places, and the events.
///
/// # Errors
/// If the store cannot be read.
pub fn part(
    reader: &Reader,
    [from, to]: [Time; 2],
    drawn: &[usize],
) -> Result<WatchReport, StoreError> {
    let targets = reader.targets()?;
    let shown: Vec<&Target> = drawn.iter().filter_map(|it| targets.get(*it)).collect();
    Ok(WatchReport {
        from_s: from.as_secs_f64(),
        to_s: to.as_secs_f64(),
        layers: vec![layer(reader, &shown, from, to, STEPS)?],
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
    targets: &[&Target],
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

/// The spikes by cause, the most frequent first.
fn causes(events: &[WatchEvent]) -> Vec<CauseCount> {
    let count = |cause: &SpikeCause| {
        let spikes = events.iter().filter_map(|event| match &event.what {
            WatchEventKind::Spike(spike) if spike.cause == *cause => {
                Some((spike, event.duration_s))
            }
            _ => None,
        });
        let spikes: Vec<_> = spikes.collect();
        let number = |is: fn(&Spike) -> bool| spikes.iter().filter(|(it, _)| is(it)).count() as u64;
        CauseCount {
            cause: *cause,
            spikes: spikes.len() as u64,
            total_s: spikes.iter().map(|(_, duration_s)| duration_s).sum(),
            outages: number(Spike::is_outage),
            only_losses: number(|it| it.only_loses() && !it.is_outage()),
        }
    };
    let mut causes: Vec<_> = SpikeCause::ALL.iter().map(count).filter(|it| it.spikes > 0).collect();
    causes.sort_by_key(|it| std::cmp::Reverse(it.spikes));
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_none_of_the_spikes_with_losses_alone() {
        let spike = |lost, added_most_ms| {
            let (cause, sent) = (SpikeCause::Line, 40);
            let spike = Spike { cause, sent, lost, added_most_ms, ..Spike::default() };
            let what = WatchEventKind::Spike(spike);
            WatchEvent { start_s: 0.0, duration_s: 10.0, what }
        };
        let outage = spike(38, None);
        let events = [outage, spike(8, Some(3.0)), spike(8, Some(100.0)), spike(0, Some(100.0))];
        let (cause, spikes, total_s) = (SpikeCause::Line, 4, 40.0);
        let expected = CauseCount { cause, spikes, total_s, outages: 1, only_losses: 1 };
        assert_eq!(causes(&events), [expected]);
    }
}
