//! Which direction's queue a delay is.
//!
//! Where the delays of both directions are known apart, they say so. Otherwise the queue belongs to a
//! direction with traffic of its own (acknowledgements of the other's are none) which its shaper does
//! not hold back. If both shapers hold traffic back, the direction is to blame whose turn it was to
//! grow: only one grows at a time. A blame lasts until the queue is gone; if it does not shrink, the
//! other direction is suspected too.

use units::Time;

use super::constants::{ACKS, BLAME_LASTS, FULL, LOADED, LONG_MS, SHORT_MS, SHRUNK, TURN};
use crate::{Both, Heading};

/// What is known of a direction's part in a delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Guilt {
    /// The direction has nothing to do with it.
    #[default]
    None,
    /// It may be this direction.
    Suspected,
    /// It is this direction.
    Proven,
}

/// What a direction does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doing {
    /// The rate that crosses the line, and that of the shaper, in bits per second.
    pub(super) carried: f64,
    pub(super) rate: f64,
    /// True if the shaper holds traffic back.
    pub(super) is_limiting: bool,
    /// True if it did so in the second before.
    pub(super) was_limiting: bool,
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
        let limiting = doing.map(|it| it.is_limiting);
        if !(limiting.up && limiting.down) {
            return limiting;
        }
        if self.blamed.is_some() {
            self.turned = now;
        } else if now.since(self.turned) >= TURN {
            self.turn = self.turn.opposite();
            self.turned = now;
        }
        Both::new(|heading| heading == self.turn)
    }

    /// The guilt of each direction in an excess that is not split.
    pub(super) fn judge(&mut self, excess: f64, doing: Both<Doing>, now: Time) -> Both<Guilt> {
        if excess < SHORT_MS {
            self.blamed = None;
        }
        if excess <= LONG_MS {
            return Both::default();
        }
        let fresh = self.fresh(doing);
        let blamed = self.blamed.get_or_insert(Blamed { guilt: fresh, looked: now, excess });
        if now.since(blamed.looked) >= BLAME_LASTS {
            if excess > SHRUNK * blamed.excess {
                blamed.guilt = Both::new(|heading| match blamed.guilt[heading] {
                    Guilt::None if is_loaded(doing, heading) => Guilt::Suspected,
                    known => known,
                });
            }
            (blamed.looked, blamed.excess) = (now, excess);
        }
        blamed.guilt
    }

    /// Forgets the blame.
    pub(super) fn forget(&mut self) {
        self.blamed = None;
    }

    fn fresh(&self, doing: Both<Doing>) -> Both<Guilt> {
        let loaded = Both::new(|heading| is_loaded(doing, heading));
        let only = |who: Heading| {
            Both::new(|heading| if heading == who { Guilt::Proven } else { Guilt::None })
        };
        match (loaded.up, loaded.down) {
            (false, false) => return Both::default(),
            (true, false) => return only(Heading::Up),
            (false, true) => return only(Heading::Down),
            (true, true) => {}
        }
        let limiting = doing.map(|it| it.is_limiting);
        let in_line =
            doing.map(|it| !it.is_limiting && (it.was_limiting || it.carried >= FULL * it.rate));
        match (in_line.up, in_line.down) {
            (true, false) => only(Heading::Up),
            (false, true) => only(Heading::Down),
            (true, true) => both_suspected(),
            (false, false) => match (limiting.up, limiting.down) {
                (true, false) => only(Heading::Up),
                (false, true) => only(Heading::Down),
                (true, true) => only(self.turn),
                (false, false) => both_suspected(),
            },
        }
    }
}

const fn both_suspected() -> Both<Guilt> {
    Both { up: Guilt::Suspected, down: Guilt::Suspected }
}

/// True if the direction has traffic of its own.
fn is_loaded(doing: Both<Doing>, heading: Heading) -> bool {
    let own = doing[heading].carried - ACKS * doing[heading.opposite()].carried;
    own >= LOADED * doing[heading].rate
}
