//! Times of the watch's clock as times since 1970, and as people write them.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};
use kernel::Clock;
use units::{Span, Time};
use watched::LocalDays;

/// The wall clock beside that of the watch, as both were a moment ago.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    clock: Clock,
    at: Time,
    wall: Time,
}

impl Anchor {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, at: clock.now(), wall: kernel::wall() }
    }

    /// Looks at both clocks again: the wall clock may have been set, and that of the watch stands still
    /// while the machine sleeps.
    pub(super) fn look(&mut self) {
        *self = Self::new(self.clock);
    }

    /// The time since 1970 (UTC) of a time of the watch's clock.
    pub(super) fn wall(&self, at: Time) -> Time {
        self.wall + at.since(self.at) - self.at.since(at)
    }
}

/// A time since 1970 as people here write it: `20:31:05`.
pub(super) fn of_day(wall: Time) -> String {
    zoned(wall).strftime("%H:%M:%S").to_string()
}

/// A time since 1970 in seconds as people here write it: `2026-11-27 20:31:05`.
pub(super) fn for_people(seconds: f64) -> String {
    let wall = Time::ZERO + Span::from_secs_f64(seconds.max(0.0));
    zoned(wall).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The calendar of this machine's place.
pub(super) struct Calendar;

impl LocalDays for Calendar {
    fn begin(&self, at: Time) -> Time {
        zoned(at).start_of_day().ok().map_or(at, |it| wall_time(it.timestamp()))
    }

    fn next(&self, at: Time) -> Time {
        let next = zoned(at).checked_add(1.day()).and_then(|it| it.start_of_day());
        next.ok().map_or(Time::MAX, |it| wall_time(it.timestamp()))
    }

    fn name(&self, at: Time) -> String {
        zoned(at).date().to_string()
    }
}

fn zoned(wall: Time) -> Zoned {
    timestamp(wall).to_zoned(TimeZone::system())
}

fn wall_time(at: Timestamp) -> Time {
    Time::from_nanos(u64::try_from(at.as_nanosecond()).unwrap_or(0))
}

/// A time since 1970 for logs: `2026-11-27T20:31:05Z`.
pub(super) fn for_logs(wall: Time) -> String {
    format!("{:.0}", timestamp(wall))
}

fn timestamp(wall: Time) -> Timestamp {
    let nanos = i128::from(wall.as_nanos());
    // The last second of the year 9999 lies behind all times of 64 bits.
    Timestamp::from_nanosecond(nanos).unwrap_or(Timestamp::MAX)
}

/// A time of the day.
pub(super) type TimeOfDay = jiff::civil::Time;

/// The beginning of the minute that a time lies in.
pub(super) fn minute(wall: Time) -> Time {
    let length = Span::from_secs(60).as_nanos();
    Time::from_nanos(wall.as_nanos() / length * length)
}

/// The next time after `wall` at which clocks here show a time of the day. On the day on which clocks are
/// set forward over it, it is as much later.
pub(super) fn next(time: TimeOfDay, wall: Time) -> Time {
    let now = zoned(wall);
    let on = |date: jiff::civil::Date| {
        let zoned = date.to_datetime(time).to_zoned(TimeZone::system()).ok()?;
        Some(wall_time(zoned.timestamp()))
    };
    let today = on(now.date()).filter(|it| *it > wall);
    let tomorrow = || now.date().checked_add(1.day()).ok().and_then(on);
    today.or_else(tomorrow).unwrap_or(Time::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_read_them() {
        let wall = Time::from_millis(1_795_811_465_250);
        assert_eq!(for_logs(wall), "2026-11-27T20:31:05Z");
        assert_eq!(for_logs(minute(wall)), "2026-11-27T20:31:00Z");
        assert!(of_day(wall).ends_with(":05"));
    }

    #[test]
    fn a_time_of_the_day_comes_within_a_day() {
        let wall = Time::from_millis(1_795_811_465_250);
        for hour in 0..24 {
            let due = next(TimeOfDay::constant(hour, 30, 0, 0), wall);
            assert!(due > wall && due.since(wall) <= Span::from_secs(25 * 3600), "{hour}");
            assert!(of_day(due).starts_with(&format!("{hour:02}:30")), "{hour}");
        }
    }
}
