//! One direction of the line: what it carries, and the rate of its shaper.

use units::{Rate, Time};

use super::attribution::{Doing, Role};
use super::constants::{
    CAPACITY_TICKS, CUT_AGAIN, CUT_PAUSE, DRAIN, DRAIN_LASTS, DRAIN_MS, FALLS_TO, GROWTH_LEAST,
    GROWTH_MORE, GROWTH_MOST, GROWTH_WAITS_S, KEPT, KEPT_OF_GROWN, LIMITING_TICKS, LOADED,
    LOADED_OF_LEAST, LONG_MS, SHORT_MS, SHRUNK, TICK,
};
use super::memory::Memory;
use super::traffic::Traffic;
use crate::limits::bits;
use crate::{Heading, Limits, Passage, Reason};

/// One direction.
#[derive(Debug)]
pub(super) struct Line {
    heading: Heading,
    limits: Limits,
    /// The rate of the shaper, in bits per second.
    rate: f64,
    /// The line's own rate when its queue was last seen, in bits per second.
    capacity: f64,
    traffic: Traffic,
    memory: Memory,
    /// The queue that is being emptied; `None` if there is none.
    drain: Option<Drain>,
    /// The time at which the queue was last seen.
    congested: Time,
    reason: Reason,
}

/// A queue of the line that is being emptied.
#[derive(Clone, Copy, Debug)]
struct Drain {
    began: Time,
    /// The time of the last look at it, and its length then, in milliseconds.
    looked: Time,
    excess: f64,
    /// The rate that the line carries, in bits per second.
    carries: f64,
    /// The rates before the queue came.
    before: Known,
}

/// The rates of a shaper and of the line behind it.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The rate of the shaper and that of the line, in bits per second.
    rate: f64,
    capacity: f64,
}

impl Line {
    pub(super) fn new(heading: Heading, limits: Limits) -> Self {
        Self {
            heading,
            limits,
            rate: bits(limits.base()),
            capacity: bits(limits.base()),
            traffic: Traffic::new(heading),
            memory: Memory::new(),
            drain: None,
            congested: Time::ZERO,
            reason: Reason::Hold,
        }
    }

    /// The rate of the shaper, with four digits: people read it.
    pub(super) fn rate(&self) -> Rate {
        let mut step = 1.0;
        while self.rate >= 1e4 * step {
            step *= 10.0;
        }
        self.limits.nearest((self.rate / step).floor() * step)
    }

    pub(super) const fn reason(&self) -> Reason {
        self.reason
    }

    /// Takes the traffic since the last tick.
    pub(super) fn hear(&mut self, passage: Passage) {
        self.traffic.add(passage);
        self.reason = Reason::Hold;
    }

    /// The rate that crosses the line, in bits per second.
    pub(super) fn carried(&self) -> f64 {
        self.traffic.carried(2 * LIMITING_TICKS)
    }

    /// The load and the freedom of the direction.
    pub(super) fn doing(&self) -> Doing {
        Doing {
            carried: self.carried(),
            rate: self.rate,
            loaded_from: self.loaded_from(),
            is_limiting: self.is_limiting(),
            was_limiting: self.traffic.was_limiting(),
            is_probing: self.rate > KEPT * self.capacity,
        }
    }

    /// True if the direction has more traffic than a little.
    pub(super) fn is_loaded(&self) -> bool {
        self.carried() >= self.loaded_from()
    }

    /// The rate from which on traffic loads the direction, in bits per second.
    fn loaded_from(&self) -> f64 {
        (LOADED * self.rate).min(LOADED_OF_LEAST * bits(self.limits.minimum()))
    }

    /// True if the shaper is the narrowest place.
    pub(super) fn is_limiting(&self) -> bool {
        self.traffic.is_limiting()
    }

    /// Lowers the rate, since the line has a queue of this many milliseconds in which the direction has this
    /// role. If the role is certain, the line's rate is known anew.
    pub(super) fn cut(&mut self, excess: f64, role: Role, now: Time) {
        self.congested = now;
        let carried = self.traffic.carried(CAPACITY_TICKS);
        let is_limiting = self.is_limiting();
        let carries = match role {
            Role::Grown => self.rate * KEPT_OF_GROWN,
            _ if is_limiting => carried * KEPT,
            _ => carried,
        };
        let begun = Drain { began: now, looked: now, excess, carries, before: self.known() };
        let drain = self.drain.get_or_insert(begun);
        if role != Role::Grown && self.heading == Heading::Down {
            // What comes is the line's rate, unless the shaper has slowed the senders down.
            drain.carries = if is_limiting { drain.carries.max(carried) } else { carried };
        } else if now.since(drain.looked) >= CUT_PAUSE {
            if excess > SHRUNK * drain.excess {
                drain.carries *= CUT_AGAIN;
            }
            (drain.looked, drain.excess) = (now, excess);
        }
        if role != Role::Suspected {
            self.capacity = drain.carries.max(FALLS_TO * drain.before.capacity);
            self.memory.note(drain.carries, now);
        }
        let part = 1.0 - (excess - SHORT_MS) / DRAIN_MS;
        self.rate = self.rate.min(drain.carries * part.clamp(DRAIN.0, DRAIN.1));
        self.reason = Reason::Bloated;
        self.keep_within();
    }

    /// Sets the rate while the line has no queue, or one that only empties.
    pub(super) fn follow(&mut self, excess: f64, may_grow: bool, now: Time) {
        if let Some(drain) = self.drain {
            let is_old = now.since(drain.began) >= DRAIN_LASTS;
            if excess > if is_old { LONG_MS } else { SHORT_MS } {
                self.reason = Reason::Draining;
                return;
            }
            self.restore();
        }
        if excess < LONG_MS && self.is_limiting() {
            self.memory.note(self.rate, now);
        }
        if excess < LONG_MS && may_grow {
            self.rate *= 1.0 + self.growth(now) * TICK.as_secs_f64();
            self.reason = Reason::Loaded;
        }
        self.keep_within();
    }

    /// The growth in parts of the rate a second.
    fn growth(&self, now: Time) -> f64 {
        if self.rate < KEPT * self.capacity {
            return GROWTH_MOST;
        }
        let seconds = now.since(self.congested).as_secs_f64();
        (GROWTH_LEAST + GROWTH_MORE * (seconds - GROWTH_WAITS_S).max(0.0)).min(GROWTH_MOST)
    }

    /// Goes back to what the line carried, since its queue is gone or was none.
    fn restore(&mut self) {
        if let Some(drain) = self.drain.take() {
            self.rate = self.rate.max(drain.carries * KEPT);
            self.reason = Reason::Drained;
            self.keep_within();
        }
    }

    /// Sets a rate that the line carries most of the time, if the line lives. On a dead line nothing
    /// can be lost, nor learnt.
    pub(super) fn be_blind(&mut self, lives: bool) {
        self.drain = None;
        self.reason = Reason::Blind;
        if lives {
            let safe = self.memory.safe().unwrap_or(bits(self.limits.base()));
            self.rate = self.rate.min(safe);
            self.keep_within();
        }
    }

    /// Takes a cut back, since the delay is not this direction's.
    pub(super) fn take_back(&mut self) {
        if let Some(Drain { before, .. }) = self.drain.take() {
            (self.rate, self.capacity) = (before.rate, before.capacity);
        }
        self.reason = Reason::NotOurs;
    }

    const fn known(&self) -> Known {
        Known { rate: self.rate, capacity: self.capacity }
    }

    fn keep_within(&mut self) {
        self.rate = bits(self.limits.nearest(self.rate));
    }
}
