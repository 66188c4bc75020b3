//! The load of this machine: the minutes in which it loaded the line, and those in which it did not.

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

/// The minutes of this machine by their beginnings, in order.
pub(crate) struct Load {
    loaded: Vec<Time>,
    /// The observed time of each loaded minute: the first and the last minute of a watch are parts.
    observed: Vec<(Time, Span)>,
    calm: Vec<Time>,
}

impl Load {
    /// Reads what a store has of some time.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) fn read(reader: &Reader, from: Time, to: Time) -> Result<Self, StoreError> {
        Ok(Self::of(&reader.machine_minutes(from, to)?, to))
    }

    /// The load in these minutes, of which `to` is the end.
    pub(crate) fn of(machine: &[MachineMinute], to: Time) -> Self {
        let part = |it: &MachineMinute| to.since(it.start).as_nanos() / LEARNED.as_nanos();
        let mut load = Self { loaded: Vec::new(), observed: Vec::new(), calm: Vec::new() };
        machine.chunk_by(|one, next| part(one) == part(next)).for_each(|it| load.add(it));
        load
    }

    fn add(&mut self, machine: &[MachineMinute]) {
        let directions = [|it: &MachineMinute| it.up, |it: &MachineMinute| it.down];
        let bounds = directions.map(|bytes| {
            let rates = machine.iter().filter_map(|it| rate(bytes(it), it.seconds));
            let greatest = quantile(&ascending(rates), GREATEST).unwrap_or(0.0);
            (LOADED * greatest).max(LEAST_RATE)
        });
        for it in machine {
            let rates = directions.map(|bytes| rate(bytes(it), it.seconds));
            let mut known =
                rates.iter().zip(bounds).filter_map(|(rate, bound)| Some((*rate)? >= bound));
            // Of a minute whose rates nobody knows it is not known either.
            let Some(first) = known.next() else { continue };
            if first || known.any(|it| it) {
                self.loaded.push(it.start);
                self.observed.push((it.start, Span::from_secs(it.seconds)));
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
        let observed = within(&self.observed, |it| it.0, from, to);
        observed.iter().fold(Span::ZERO, |sum, it| sum + it.1)
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

/// A rate in bytes a second; `None` if it is not known.
fn rate(bytes: Option<Bytes>, seconds: u64) -> Option<f64> {
    Some(bytes?.0 as f64 / seconds.max(1) as f64)
}
