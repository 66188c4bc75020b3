//! Our rules: they measure what the line carries whenever it has a queue, and use that.
//!
//! While the line has a queue, what crosses it is its rate. So one look tells the new rate: no search
//! is needed downwards. The rate goes below it until the queue is gone, and then just below it, where
//! the shaper has the queue. From there it grows, faster the longer no queue is seen.
//!
//! A queue shows as delay beyond the least of the last half minute, at the best of three answers. Where
//! the delays of both directions are not known apart, `attribution` finds the direction. A delay that no cut
//! changes is a new path. Without answers the rules say that they are blind, and use a rate that the
//! line carried most of the last minute.

mod attribution;
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
use attribution::{Attribution, Doing, Role};
use constants::{
    ALIVE_BITS, BLIND_AFTER, BLIND_AFTER_IDLE, IDLE_AFTER, LONG_MS, PROBE_IDLE, PROBE_LOADED,
    REFLECTORS, SHORT_MS, TICK, UNMOVED,
};
use delays::Delays;
use line::Line;

/// A controller with our rules.
#[derive(Debug)]
pub(crate) struct Ours {
    lines: Both<Line>,
    delays: Delays,
    attribution: Attribution,
    /// The time at which a direction was last loaded.
    loaded: Time,
    /// The time at which the line was last not idle, so that probes are frequent.
    watched: Time,
    /// The time at which the delay was last short.
    short: Time,
}

impl Ours {
    pub(crate) fn new(limits: Both<Limits>) -> Self {
        let lines = Both::new(|heading| Line::new(heading, limits[heading]));
        Self {
            lines,
            delays: Delays::new(),
            attribution: Attribution::new(),
            loaded: Time::ZERO,
            watched: Time::ZERO,
            short: Time::ZERO,
        }
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

    /// The role of each direction in its excess.
    fn role(&mut self, excess: Both<f64>, doing: Both<Doing>, now: Time) -> Both<Role> {
        if !self.delays.is_split() {
            return self.attribution.judge(excess.up, doing, now);
        }
        excess.map(|excess| if excess > LONG_MS { Role::Slower } else { Role::None })
    }

    fn follow(&mut self, excess: Both<f64>, now: Time) {
        let doing = Both::new(|heading| self.lines[heading].doing());
        let role = self.role(excess, doing, now);
        if excess.up.min(excess.down) < SHORT_MS {
            self.short = now;
        }
        if now.since(self.short) >= UNMOVED && Heading::BOTH.iter().all(|it| self.is_held(*it)) {
            self.short = now;
            self.delays.forget(now);
            self.attribution.forget();
            Heading::BOTH.iter().for_each(|it| self.lines[*it].take_back());
            return;
        }
        let may_grow = self.attribution.may_grow(doing, now);
        for heading in Heading::BOTH {
            let line = &mut self.lines[heading];
            match role[heading] {
                Role::None => line.follow(excess[heading], may_grow[heading], now),
                Role::Cleared => line.take_back(),
                role => line.cut(excess[heading], role, now),
            }
        }
    }

    /// True if the direction has no queue in the line that could shrink: it is idle, or its shaper holds
    /// it back.
    fn is_held(&self, heading: Heading) -> bool {
        let line = &self.lines[heading];
        !line.is_loaded() || line.is_limiting()
    }

    fn probing(&self, now: Time) -> Probing {
        let every = if self.is_idle(now) { PROBE_IDLE } else { PROBE_LOADED };
        Probing { reflectors: REFLECTORS, every: Some(every) }
    }

    fn hear(&mut self, seen: &Observation<'_>, now: Time) -> Option<ReflectorId> {
        let was_idle = self.is_idle(now);
        for heading in Heading::BOTH {
            self.lines[heading].hear(seen.traffic[heading]);
            if self.lines[heading].is_loaded() {
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
        if let Some(blind) = blind {
            let lives = blind.cause == Blindness::Silent;
            Heading::BOTH.iter().for_each(|it| self.lines[*it].be_blind(lives));
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
