//! The time before a change beside the time after it.

use results::{WatchChange, WatchComparison, WatchEvent, WatchEventKind, WatchedPeriod};
use units::{Span, Time};

use crate::day::DAY;
use crate::line::{Line, start};
use crate::period::counts;

/// The longest time on each side, and the shortest that says something.
const LONGEST: Span = Span::from_secs(7 * 86_400);
const SHORTEST: Span = Span::from_secs(600);

/// Each change with the times beside it.
pub(crate) fn comparisons(
    line: &Line,
    events: &[WatchEvent],
    from: Time,
    to: Time,
) -> Vec<WatchComparison> {
    let changes: Vec<&WatchEvent> = events.iter().filter(|it| is_lasting(it)).collect();
    let bound = |index: Option<usize>| index.and_then(|it| changes.get(it)).map(|it| start(it));
    let compare = |(index, change): (usize, &&WatchEvent)| {
        let at = start(change);
        let first = bound(index.checked_sub(1)).unwrap_or(from).max(at - LONGEST);
        let last = bound(Some(index + 1)).unwrap_or(to).min(at + LONGEST);
        let (before, after) = (period(line, events, first, at), period(line, events, at, last));
        let is_long = at.since(first) >= SHORTEST && last.since(at) >= SHORTEST;
        is_long.then(|| WatchComparison { change: (*change).clone(), before, after })
    };
    changes.iter().enumerate().filter_map(compare).collect()
}

/// True for a change that somebody made, and that stays.
fn is_lasting(event: &WatchEvent) -> bool {
    match &event.what {
        WatchEventKind::Change(change) => matches!(
            change,
            WatchChange::Mark { .. } | WatchChange::Interface { .. } | WatchChange::Queue { .. }
        ),
        _ => false,
    }
}

fn period(line: &Line, events: &[WatchEvent], from: Time, to: Time) -> WatchedPeriod {
    let is_spike = |it: &&WatchEvent| {
        matches!(it.what, WatchEventKind::Spike(_)) && start(it) >= from && start(it) < to
    };
    let spikes = events.iter().filter(is_spike).count() as f64;
    let duration_s = to.since(from).as_secs_f64();
    WatchedPeriod {
        duration_s,
        counts: counts(line.hours(from, to)),
        loaded_added_p95_ms: line.added_p95_ms(from, to),
        spikes_per_day: spikes * DAY.as_secs_f64() / duration_s.max(1.0),
    }
}
