//! The load of this machine: the minutes in which it loaded the line, and those in which it did not.

use observation::WatchedSecond;
use stats::{ascending, quantile};
use store::{MachineMinute, Reader, StoreError};
use units::{Bytes, Span, Time};

use crate::period::{MINUTE, within};

/// The part of the greatest rate of a minute from which on a minute is loaded: a transfer of 20 s at the full
/// rate.
const LOADED: f64 = 0.3;
/// The least rate in bytes a second that loads anything: 500 kbit/s.
const LEAST_RATE: f64 = 62_500.0;
/// The quantile of the rates of minutes that stands for the greatest: one minute may be a mistake.
const GREATEST: f64 = 0.999;
/// The time within which the greatest rate is looked for: after months a line may be another one.
const LEARNED: Span = Span::from_secs(62 * 86_400);
/// The part of a time that may be loaded though the time counts as calm: less than its 95th percentile shows.
const MOST_LOADED: f64 = 0.05;
/// The loaded time without which a delay under load is not known, and the calm time without which there is nothing
/// to compare with.
const LEAST: Span = Span::from_secs(180);

/// The minutes whose seconds are held in memory: half a day.
const MINUTES_AT_ONCE: usize = 720;

/// The minutes of this machine by their beginnings, in order.
pub(crate) struct Load {
    loaded: Vec<Time>,
    /// The same minutes, and in which part of each the line was loaded.
    parts: Vec<LoadedMinute>,
    calm: Vec<Time>,
}

/// A minute in which the line was loaded.
struct LoadedMinute {
    start: Time,
    /// The rates up and down in bytes a second from which on the line is loaded.
    bounds: [f64; 2],
    /// The time in which it was.
    time: Span,
}

impl Load {
    /// Reads what a store has of some time.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) fn read(reader: &Reader, from: Time, to: Time) -> Result<Self, StoreError> {
        let mut load = Self::of(&reader.machine_minutes(from, to)?, to);
        for parts in load.parts.chunk_by_mut(|one, next| one.start + MINUTE == next.start) {
            for parts in parts.chunks_mut(MINUTES_AT_ONCE) {
                count_seconds(parts, reader)?;
            }
        }
        Ok(load)
    }

    /// The load in these minutes, of which `to` is the end.
    pub(crate) fn of(machine: &[MachineMinute], to: Time) -> Self {
        let part = |it: &MachineMinute| to.since(it.start).as_nanos() / LEARNED.as_nanos();
        let mut load = Self { loaded: Vec::new(), parts: Vec::new(), calm: Vec::new() };
        machine.chunk_by(|one, next| part(one) == part(next)).for_each(|it| load.add(it));
        load
    }

    fn add(&mut self, machine: &[MachineMinute]) {
        let directions = [|it: &MachineMinute| it.up, |it: &MachineMinute| it.down];
        let greatest = directions.map(|bytes| {
            let rates = machine.iter().filter_map(|it| rate(bytes(it), it.seconds));
            quantile(&ascending(rates), GREATEST).unwrap_or(0.0).max(LEAST_RATE / LOADED)
        });
        let bounds = greatest.map(|it| LOADED * it);
        for it in machine {
            let rates = directions.map(|bytes| rate(bytes(it), it.seconds));
            let mut known =
                rates.iter().zip(bounds).filter_map(|(rate, bound)| Some((*rate)? >= bound));
            // Of a minute whose rates nobody knows it is not known either.
            let Some(first) = known.next() else { continue };
            if first || known.any(|it| it) {
                self.loaded.push(it.start);
                let part = |(rate, greatest): (&Option<f64>, f64)| Some((*rate)? / greatest);
                let part = rates.iter().zip(greatest).filter_map(part).fold(0.0, f64::max);
                let time = Span::from_secs_f64(it.seconds as f64 * part.min(1.0));
                self.parts.push(LoadedMinute { start: it.start, bounds, time });
            } else {
                self.calm.push(it.start);
            }
        }
    }

    /// The minutes that were loaded, within some time.
    pub(crate) fn loaded(&self, from: Time, to: Time) -> &[Time] {
        within(&self.loaded, |it| *it, from, to)
    }

    /// The time in which the line was loaded, within some time.
    pub(crate) fn loaded_time(&self, from: Time, to: Time) -> Span {
        let parts = within(&self.parts, |it| it.start, from, to);
        parts.iter().fold(Span::ZERO, |sum, it| sum + it.time)
    }

    /// True if the line was loaded long enough within some time to know what that does.
    pub(crate) fn has_loaded(&self, from: Time, to: Time) -> bool {
        MINUTE * self.loaded(from, to).len() as u64 >= LEAST
    }

    /// True if there is calm time enough within some time to compare with.
    pub(crate) fn has_calm(&self, from: Time, to: Time) -> bool {
        MINUTE * within(&self.calm, |it| *it, from, to).len() as u64 >= LEAST
    }

    /// True if some time is known well enough to say how much later answers came than in its best minutes: if
    /// there is calm time enough, or if nothing is known of the load, these minutes of probes.
    pub(crate) fn is_comparable(&self, from: Time, to: Time, probed: Span) -> bool {
        let is_unknown = || {
            let of = |all: &[Time]| within(all, |it| *it, from, to).is_empty();
            of(&self.calm) && of(&self.loaded)
        };
        self.has_calm(from, to) || probed >= LEAST && is_unknown()
    }

    /// True if the line was not loaded in a minute or in an hour.
    pub(crate) fn is_calm(&self, start: Time, width: Span) -> bool {
        let calm = within(&self.calm, |it| *it, start, start + width).len() as f64;
        let loaded = self.loaded(start, start + width).len() as f64;
        calm > 0.0 && loaded <= MOST_LOADED * (calm + loaded)
    }
}

/// Counts the seconds of neighbouring minutes in which the line was loaded, if the store still has them. Otherwise the
/// time stays that in which the greatest rate would have carried the bytes of the minute.
fn count_seconds(minutes: &mut [LoadedMinute], reader: &Reader) -> Result<(), StoreError> {
    let (Some(first), Some(last)) = (minutes.first(), minutes.last()) else { return Ok(()) };
    let second = Span::from_secs(1);
    let seconds = reader.seconds(first.start + second, last.start + MINUTE + second)?;
    for minute in minutes {
        // Seconds are known by their ends, and belong to the minute in which they began.
        let of = within(&seconds, |it| it.at - second, minute.start, minute.start + MINUTE);
        let is_loaded = |it: &&WatchedSecond| {
            let rates = [it.up, it.down].map(|bytes| rate(bytes, 1));
            rates.iter().zip(minute.bounds).any(|(rate, bound)| rate.is_some_and(|it| it >= bound))
        };
        if !of.is_empty() {
            minute.time = Span::from_secs(of.iter().filter(is_loaded).count() as u64);
        }
    }
    Ok(())
}

/// A rate in bytes a second; `None` if it is not known.
fn rate(bytes: Option<Bytes>, seconds: u64) -> Option<f64> {
    Some(bytes?.0 as f64 / seconds.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use store::Store;

    use super::*;

    /// The bytes of a second at the full rate, and at 40 % of it.
    const FULL: u64 = 1_000_000;
    const PART: u64 = 400_000;

    /// The loaded time of minutes, each with so many seconds at the full rate and so many at a part of it; with or
    /// without their seconds.
    fn loaded_s(name: &str, minutes: &[(u64, u64)], has_seconds: bool) -> f64 {
        let start = Time::from_secs(1_790_000_400);
        let folder =
            std::env::temp_dir().join(format!("watched-load-{name}-{}", std::process::id()));
        let mut store = Store::open(&folder).unwrap();
        for (minute, (full, part)) in minutes.iter().enumerate() {
            for second in 0..60 {
                let up = match second {
                    _ if second < *full => FULL,
                    _ if second < full + part => PART,
                    _ => 100,
                };
                store.keep_second(WatchedSecond {
                    at: start + MINUTE * minute as u64 + Span::from_secs(second + 1),
                    up: Some(Bytes(up)),
                    down: Some(Bytes(0)),
                    ..WatchedSecond::default()
                });
            }
        }
        store.commit().unwrap();
        drop(store);
        let reader = Reader::open(&folder).unwrap();
        let end = start + MINUTE * minutes.len() as u64;
        let load = match has_seconds {
            true => Load::read(&reader, start, end).unwrap(),
            // As after the time for which seconds are stored.
            false => Load::of(&reader.machine_minutes(start, end).unwrap(), end),
        };
        drop(reader);
        std::fs::remove_dir_all(folder).unwrap();
        load.loaded_time(start, end).as_secs_f64()
    }

    #[test]
    fn the_loaded_time_is_that_of_the_load_and_not_of_its_minutes() {
        let minutes = [(60, 0), (0, 0), (20, 0), (0, 60), (5, 0)];
        // Five seconds do not load a minute.
        assert_eq!(loaded_s("seconds", &minutes, true), 60.0 + 20.0 + 60.0);
        // Minutes alone tell the bytes.
        let without = loaded_s("minutes", &minutes, false);
        assert!((without - (60.0 + 20.0 + 24.0)).abs() < 0.1, "{without}");
        // No minute was loaded throughout.
        assert_eq!(loaded_s("one", &[(20, 0), (0, 0)], true), 20.0);
    }
}
