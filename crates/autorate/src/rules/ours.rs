//! Our rules: they measure what the line carries whenever it has a queue, and use that.
//!
//! While the line has a queue, what crosses it is its rate. So one look tells the new rate: no search
//! is needed downwards. The rate goes below it until the queue is gone, and then just below it, where
//! the shaper has the queue. From there it grows, faster the longer no queue is seen.
//!
//! A queue shows as delay beyond the least of the last half minute, at the best of three answers. Where
//! the delays of both directions are not known apart, `blame` finds the direction. A delay that no cut
//! changes is a new path. Without answers the rules say that they are blind, and use a rate that the
//! line carried most of the last minute.

mod blame;
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
use blame::{Blame, Doing, Guilt};
use constants::{
    ALIVE_BITS, BLIND_AFTER, BLIND_AFTER_IDLE, IDLE_AFTER, LOADED, LONG_MS, PROBE_IDLE,
    PROBE_LOADED, REFLECTORS, SHORT_MS, TICK, UNMOVED,
};
use delays::Delays;
use line::Line;

/// A controller with our rules.
#[derive(Debug)]
pub(crate) struct Ours {
    lines: Both<Line>,
    delays: Delays,
    blame: Blame,
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
            blame: Blame::new(),
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

    /// The guilt of each direction in its excess.
    fn guilt(&mut self, excess: Both<f64>, doing: Both<Doing>, now: Time) -> Both<Guilt> {
        if !self.delays.is_split() {
            return self.blame.judge(excess.up, doing, now);
        }
        excess.map(|excess| if excess > LONG_MS { Guilt::Slower } else { Guilt::None })
    }

    fn follow(&mut self, excess: Both<f64>, now: Time) {
        let doing = Both::new(|heading| self.lines[heading].doing());
        let guilt = self.guilt(excess, doing, now);
        if excess.up.min(excess.down) < SHORT_MS {
            self.short = now;
        }
        if now.since(self.short) >= UNMOVED && Heading::BOTH.iter().all(|it| self.is_held(*it)) {
            self.short = now;
            self.delays.forget(now);
            self.blame.forget();
            Heading::BOTH.iter().for_each(|it| self.lines[*it].acquit());
            return;
        }
        let may_grow = self.blame.may_grow(doing, now);
        for heading in Heading::BOTH {
            let line = &mut self.lines[heading];
            match guilt[heading] {
                Guilt::None => line.follow(excess[heading], may_grow[heading], now),
                Guilt::Acquitted => line.acquit(),
                guilt => line.cut(excess[heading], guilt, now),
            }
        }
    }

    /// True if the direction has no queue in the line that could shrink: it is idle, or its shaper holds
    /// it back.
    fn is_held(&self, heading: Heading) -> bool {
        let line = &self.lines[heading];
        line.load() < LOADED || line.is_limiting()
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
