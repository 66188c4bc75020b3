//! Which direction's queue a delay is.
//!
//! Where the delays of both directions are known apart, they say so. Otherwise the queue belongs to a
//! direction with traffic of its own (acknowledgements of the other's are none). If both have some, a
//! short queue is that of the direction which grows: only one grows at a time. A longer one did not
//! come from growth: the line has become slower, and the queue is that of traffic which the shaper has
//! just ceased to hold back. A blame lasts until the queue is gone; if it does not shrink, the other
//! direction is blamed too.

use units::Time;

use super::constants::{
    ACKS, BLAME_LASTS, FULL, GROWN_MS, LOADED, LONG_MS, SHORT_MS, SHRUNK, TURN,
};
use crate::{Both, Heading};

/// The part of a direction in a delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Guilt {
    /// The direction has nothing to do with it.
    #[default]
    None,
    /// It may be this direction.
    Suspected,
    /// The direction has grown, and is a little too fast.
    Grown,
    /// The line has become slower in this direction.
    Slower,
    /// The direction was blamed for its growth, and lowering it has changed nothing.
    Acquitted,
}

/// The load and the freedom of a direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doing {
    /// The rate that crosses the line, and that of the shaper, in bits per second.
    pub(super) carried: f64,
    pub(super) rate: f64,
    /// True if the shaper holds traffic back.
    pub(super) is_limiting: bool,
    /// True if it did so in the second before.
    pub(super) was_limiting: bool,
    /// True if the rate is above what the line is known to carry.
    pub(super) is_probing: bool,
}

impl Doing {
    /// True if the direction would use a higher rate.
    fn is_full(&self) -> bool {
        self.is_limiting || self.carried >= FULL * self.rate
    }

    /// True if the queue of the direction's traffic is not in the shaper, where it was or would be.
    fn is_in_line(&self) -> bool {
        !self.is_limiting && (self.was_limiting || self.carried >= FULL * self.rate)
    }
}

/// The judge of both directions.
#[derive(Debug)]
pub(super) struct Blame {
    /// The direction that may grow if both could, and since when.
    turn: Heading,
    turned: Time,
    /// The present blame; `None` while there is no queue.
    blamed: Option<Blamed>,
}

#[derive(Clone, Copy, Debug)]
struct Blamed {
    guilt: Both<Guilt>,
    /// The time of the last look at the queue, and its length then, in milliseconds.
    looked: Time,
    excess: f64,
}

impl Blame {
    pub(super) const fn new() -> Self {
        Self { turn: Heading::Down, turned: Time::ZERO, blamed: None }
    }

    /// The directions that may grow now.
    pub(super) fn may_grow(&mut self, doing: Both<Doing>, now: Time) -> Both<bool> {
        let full = doing.map(|it| it.is_full());
        if !(full.up && full.down) {
            return full;
        }
        if self.blamed.is_none() && now.since(self.turned) >= TURN {
            self.pass_on(now);
        }
        Both::new(|heading| heading == self.turn)
    }

    /// The guilt of each direction in an excess that is not split.
    pub(super) fn judge(&mut self, excess: f64, doing: Both<Doing>, now: Time) -> Both<Guilt> {
        if excess <= LONG_MS {
            self.clear(excess, now);
            return Both::default();
        }
        let fresh = self.fresh(excess, doing);
        let blamed = self.blamed.get_or_insert(Blamed { guilt: fresh, looked: now, excess });
        let is_over = now.since(blamed.looked) >= BLAME_LASTS;
        let has_risen = blamed.excess <= GROWN_MS && excess > GROWN_MS;
        if has_risen || is_over {
            if excess > SHRUNK * blamed.excess {
                blamed.guilt = Both::new(|way| again(blamed.guilt[way], excess, doing, way));
            }
            (blamed.looked, blamed.excess) = (now, excess);
        }
        blamed.guilt
    }

    /// Ends the blame if the queue is gone, or has been short for long.
    fn clear(&mut self, excess: f64, now: Time) {
        let is_over =
            |blamed: &mut Blamed| excess < SHORT_MS || now.since(blamed.looked) >= BLAME_LASTS;
        if let Some(blamed) = self.blamed.take_if(is_over)
            && blamed.guilt[self.turn] != Guilt::None
        {
            // It has found its limit.
            self.pass_on(now);
        }
    }

    /// Gives the turn to the other direction.
    fn pass_on(&mut self, now: Time) {
        self.turn = self.turn.opposite();
        self.turned = now;
    }

    /// Forgets the blame.
    pub(super) fn forget(&mut self) {
        self.blamed = None;
    }

    fn fresh(&self, excess: f64, doing: Both<Doing>) -> Both<Guilt> {
        let loaded = Both::new(|heading| is_loaded(doing, heading));
        match (loaded.up, loaded.down) {
            (false, false) => return Both::default(),
            (true, false) => return only(Heading::Up, Guilt::Slower),
            (false, true) => return only(Heading::Down, Guilt::Slower),
            (true, true) => {}
        }
        let probing = Both::new(|heading| doing[heading].is_probing && doing[heading].is_full());
        if excess <= GROWN_MS && (probing.up || probing.down) {
            return match (probing.up, probing.down) {
                (true, false) => only(Heading::Up, Guilt::Grown),
                (false, true) => only(Heading::Down, Guilt::Grown),
                _ => only(self.turn, Guilt::Grown),
            };
        }
        match doing.map(|it| it.is_in_line()) {
            Both { up: true, down: false } => only(Heading::Up, Guilt::Slower),
            Both { up: false, down: true } => only(Heading::Down, Guilt::Slower),
            _ => Both { up: Guilt::Suspected, down: Guilt::Suspected },
        }
    }
}

fn only(who: Heading, guilt: Guilt) -> Both<Guilt> {
    Both::new(|heading| if heading == who { guilt } else { Guilt::None })
}

/// The guilt of a direction after the queue has not shrunk.
fn again(guilt: Guilt, excess: f64, doing: Both<Doing>, heading: Heading) -> Guilt {
    match guilt {
        Guilt::Grown => Guilt::Acquitted,
        Guilt::None | Guilt::Acquitted if !is_loaded(doing, heading) => guilt,
        Guilt::None | Guilt::Acquitted if doing[heading].is_in_line() => Guilt::Slower,
        Guilt::None if excess <= GROWN_MS => Guilt::Grown,
        Guilt::None | Guilt::Acquitted => Guilt::Suspected,
        known => known,
    }
}

/// True if the direction has traffic of its own.
fn is_loaded(doing: Both<Doing>, heading: Heading) -> bool {
    let own = doing[heading].carried - ACKS * doing[heading.opposite()].carried;
    own >= LOADED * doing[heading].rate
}
