//! Days, in local time: their grades, and their hours.

use results::{Ungraded, WatchEvent, WatchEventKind, WatchedDay};
use units::{Span, Time};

use crate::line::{Line, start};
use crate::period::{HOUR, counts};

/// The calendar of the place.
pub trait LocalDays {
    /// The beginning of the day that a time lies in.
    fn begin(&self, at: Time) -> Time;
    /// The beginning of the next day: after 23 to 25 hours.
    fn next(&self, at: Time) -> Time;
    /// The day's name: `2026-11-27`.
    fn name(&self, at: Time) -> String;
}

/// The days from one time to another.
pub(crate) fn days(
    line: &Line,
    events: &[WatchEvent],
    from: Time,
    to: Time,
    calendar: &dyn LocalDays,
) -> Vec<WatchedDay> {
    let mut days = Vec::new();
    let mut begin = calendar.begin(from);
    while begin < to {
        // A calendar that does not go on would never end.
        let end = calendar.next(begin).max(begin + HOUR);
        days.push(day(line, events, begin, end, calendar.name(begin)));
        begin = end;
    }
    days
}

fn day(line: &Line, events: &[WatchEvent], begin: Time, end: Time, day: String) -> WatchedDay {
    let is_spike = |it: &&WatchEvent| {
        matches!(it.what, WatchEventKind::Spike(_)) && start(it) >= begin && start(it) < end
    };
    let all = counts(line.hours(begin, end));
    let added = line.added(begin, end).ok_or(Ungraded::NotFilled);
    let grade = added.and_then(|it| it.grade());
    let hour = |hour: u64| {
        let from = begin + HOUR * hour;
        line.beyond_ms(from, from + HOUR, (begin, end))
    };
    WatchedDay {
        day,
        grade: grade.ok(),
        grade_reason: grade.err(),
        added_p95_ms: line.added_p95_ms(begin, end),
        loaded_s: line.load.loaded_time(begin, end).as_secs_f64(),
        spikes: events.iter().filter(is_spike).count() as u64,
        loss: all.loss(),
        hours_added_ms: (0..24).map(hour).collect(),
    }
}

/// The length of a day, for times that are not of a calendar.
pub(crate) const DAY: Span = Span::from_secs(86_400);
