//! Our rules: they measure what the line carries whenever it has a queue, and use that.
//!
//! While the line has a queue, what crosses it is its rate. So one look tells the new rate: no search
//! is needed downwards. The rate goes below it until the queue is gone, and then just below it, where
//! the shaper has the queue. From there it grows, faster the longer no queue is seen.
//!
//! A queue shows as delay beyond the least of the last half minute, at the best of three answers. Where
//! the delays of both directions are not known apart, the direction is to blame that carries traffic
//! which its shaper does not hold back: the queue of that traffic is in the line. A delay that no cut
//! changes is a new path. Without answers the rules say that they are blind, and use a rate that the
//! line carried most of the last minute.

mod constants;
mod delays;
mod floor;
mod line;
mod memory;
mod traffic;

use units::{Span, Time};

use crate::{
    Blind, Blindness, Both, Controller, Decision, Heading, Limits, Observation, Probing,
    ReflectorId,
};
use constants::{
    ALIVE_BITS, BLIND_AFTER, BLIND_AFTER_IDLE, IDLE_AFTER, LOADED, LONG_MS, PROBE_IDLE,
    PROBE_LOADED, REFLECTORS, TICK,
};
use delays::Delays;
use line::Line;

/// A controller with our rules.
#[derive(Debug)]
pub(crate) struct Ours {
    lines: Both<Line>,
    delays: Delays,
    /// The time at which a direction was last loaded.
    loaded: Time,
    /// The time at which the line was last not idle, so that probes are frequent.
    watched: Time,
}

impl Ours {
    pub(crate) fn new(limits: Both<Limits>) -> Self {
        let lines = Both::new(|heading| Line::new(heading, limits[heading]));
        Self { lines, delays: Delays::new(), loaded: Time::ZERO, watched: Time::ZERO }
    }

    fn is_idle(&self, now: Time) -> bool {
        now.since(self.loaded) >= IDLE_AFTER
    }

    /// The blindness of the rules; `None` while they see.
    fn blindness(&self, now: Time) -> Option<Blind> {
        // After an idle time the first answers to frequent requests are still to come.
        let since = self.delays.answered().max(self.watched);
        let patience = if self.is_idle(now) { BLIND_AFTER_IDLE } else { BLIND_AFTER };
        let silence = if self.is_idle(now) { self.delays.answered() } else { since };
        if now.since(silence) < patience {
            return None;
        }
        let lives = Heading::BOTH.iter().any(|it| self.lines[*it].carried() >= ALIVE_BITS);
        let cause = if lives { Blindness::Silent } else { Blindness::Dead };
        Some(Blind { cause, since: self.delays.answered() })
    }

    /// The directions that are to blame for the excess.
    fn guilty(&self, excess: Both<f64>) -> Both<bool> {
        let long = Both::new(|heading| excess[heading] > LONG_MS);
        if self.delays.is_split() {
            return long;
        }
        let loads = Both::new(|heading| self.lines[heading].load());
        let suspect = |heading: Heading| {
            long[heading]
                && loads[heading] >= LOADED
                && !self.lines[heading].is_limiting()
        };
        let suspects = Both::new(suspect);
        match suspects.up || suspects.down {
            true => suspects,
            // Both shapers hold traffic back: a queue that is still there, or a rate that is just
            // above the line's.
            false => Both::new(|heading| long[heading] && loads[heading] >= LOADED),
        }
    }

    fn follow(&mut self, excess: Both<f64>, now: Time) {
        let guilty = self.guilty(excess);
        let is_unmoved = Heading::BOTH.iter().any(|it| guilty[*it] && self.lines[*it].is_unmoved(now));
        if is_unmoved {
            self.delays.forget(now);
            Heading::BOTH.iter().for_each(|it| self.lines[*it].acquit());
            return;
        }
        for heading in Heading::BOTH {
            let line = &mut self.lines[heading];
            match guilty[heading] {
                true => line.cut(excess[heading], now),
                false => line.follow(excess[heading], now),
            }
        }
    }

    fn probing(&self, now: Time) -> Probing {
        let every = if self.is_idle(now) { PROBE_IDLE } else { PROBE_LOADED };
        Probing { reflectors: REFLECTORS, every: Some(every) }
    }

    fn hear(&mut self, seen: &Observation<'_>, now: Time) -> Option<ReflectorId> {
        let was_idle = self.is_idle(now);
        for heading in Heading::BOTH {
            self.lines[heading].hear(seen.traffic[heading]);
            if self.lines[heading].load() >= LOADED {
                self.loaded = now;
            }
        }
        if was_idle && !self.is_idle(now) {
            self.watched = now;
        }
        seen.samples.iter().for_each(|sample| self.delays.hear(sample, now));
        self.delays.useless()
    }
}

impl Controller for Ours {
    fn interval(&self) -> Span {
        TICK
    }

    fn tick(&mut self, now: Time, seen: &Observation<'_>) -> Decision {
        let replace = self.hear(seen, now);
        let blind = self.blindness(now);
        if blind.is_some() {
            Heading::BOTH.iter().for_each(|it| self.lines[*it].be_safe());
        } else if let Some(excess) = self.delays.excess(now) {
            self.follow(excess, now);
        }
        Decision {
            rates: Both::new(|heading| self.lines[heading].rate()),
            reasons: Both::new(|heading| self.lines[heading].reason()),
            blind,
            probing: self.probing(now),
            replace,
        }
    }
}

#[cfg(test)]
mod tests;
