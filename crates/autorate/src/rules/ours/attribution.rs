//! Which direction's queue a delay is.
//!
//! Where the delays of both directions are known apart, they say so. Otherwise the queue belongs to a
//! direction with traffic of its own (acknowledgements of the other's are none). If both have some, a
//! short queue is that of the direction which grows: only one grows at a time. A longer one did not
//! come from growth: the line has become slower, and the queue is that of traffic which the shaper has
//! just ceased to hold back. An attribution lasts until the queue is gone; if the queue does not shrink, it
//! is attributed to the other direction too. If it grows while the first direction holds its traffic back, the
//! first one has nothing to do with it.

use units::Time;

use super::constants::{ACKS, ATTRIBUTION_LASTS, FULL, GROWN_MS, LONG_MS, SHORT_MS, SHRUNK, TURN};
use crate::{Both, Heading};

/// The role of a direction in a delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// The direction has nothing to do with it.
    #[default]
    None,
    /// It may be this direction.
    Suspected,
    /// The direction has grown, and is a little too fast.
    Grown,
    /// The line has become slower in this direction.
    Slower,
    /// The queue was attributed to the direction, and lowering it has changed nothing.
    Cleared,
}

/// The load and the freedom of a direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doing {
    /// The rate that crosses the line, and that of the shaper, in bits per second.
    pub(super) carried: f64,
    pub(super) rate: f64,
    /// The rate from which on traffic loads the direction, in bits per second.
    pub(super) loaded_from: f64,
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

/// The attribution of a queue to directions.
#[derive(Debug)]
pub(super) struct Attribution {
    /// The direction that may grow if both could, and since when.
    turn: Heading,
    turned: Time,
    /// The present attribution; `None` while there is no queue.
    attributed: Option<Attributed>,
}

#[derive(Clone, Copy, Debug)]
struct Attributed {
    role: Both<Role>,
    /// The time of the last look at the queue, and its length then, in milliseconds.
    looked: Time,
    excess: f64,
}

impl Attribution {
    pub(super) const fn new() -> Self {
        Self { turn: Heading::Down, turned: Time::ZERO, attributed: None }
    }

    /// The directions that may grow now.
    pub(super) fn may_grow(&mut self, doing: Both<Doing>, now: Time) -> Both<bool> {
        let full = doing.map(|it| it.is_full());
        if !(full.up && full.down) {
            return full;
        }
        if self.attributed.is_none() && now.since(self.turned) >= TURN {
            self.pass_on(now);
        }
        Both::new(|heading| heading == self.turn)
    }

    /// The role of each direction in an excess that is not split.
    pub(super) fn judge(&mut self, excess: f64, doing: Both<Doing>, now: Time) -> Both<Role> {
        if excess <= LONG_MS {
            self.clear(excess, now);
            return Both::default();
        }
        let fresh = self.fresh(excess, doing);
        let attributed =
            self.attributed.get_or_insert(Attributed { role: fresh, looked: now, excess });
        let is_over = now.since(attributed.looked) >= ATTRIBUTION_LASTS;
        let has_risen = attributed.excess <= GROWN_MS && excess > GROWN_MS;
        if has_risen || is_over {
            if excess > SHRUNK * attributed.excess {
                let has_grown = excess > attributed.excess;
                attributed.role = Both::new(|way| match attributed.role[way] {
                    Role::Slower if has_grown && is_elsewhere(doing, way) => Role::Cleared,
                    role => again(role, excess, doing, way),
                });
            }
            (attributed.looked, attributed.excess) = (now, excess);
        }
        attributed.role
    }

    /// Ends the attribution if the queue is gone, or has been short for long.
    fn clear(&mut self, excess: f64, now: Time) {
        let is_over = |attributed: &mut Attributed| {
            excess < SHORT_MS || now.since(attributed.looked) >= ATTRIBUTION_LASTS
        };
        if let Some(attributed) = self.attributed.take_if(is_over)
            && attributed.role[self.turn] != Role::None
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

    /// Forgets the present attribution.
    pub(super) fn forget(&mut self) {
        self.attributed = None;
    }

    fn fresh(&self, excess: f64, doing: Both<Doing>) -> Both<Role> {
        let loaded = Both::new(|heading| is_loaded(doing, heading));
        match (loaded.up, loaded.down) {
            (false, false) => return Both::default(),
            (true, false) => return only(Heading::Up, Role::Slower),
            (false, true) => return only(Heading::Down, Role::Slower),
            (true, true) => {}
        }
        let probing = Both::new(|heading| doing[heading].is_probing && doing[heading].is_full());
        if excess <= GROWN_MS && (probing.up || probing.down) {
            return match (probing.up, probing.down) {
                (true, false) => only(Heading::Up, Role::Grown),
                (false, true) => only(Heading::Down, Role::Grown),
                _ => only(self.turn, Role::Grown),
            };
        }
        match doing.map(|it| it.is_in_line()) {
            Both { up: true, down: false } => only(Heading::Up, Role::Slower),
            Both { up: false, down: true } => only(Heading::Down, Role::Slower),
            _ => Both { up: Role::Suspected, down: Role::Suspected },
        }
    }
}

fn only(who: Heading, role: Role) -> Both<Role> {
    Both::new(|heading| if heading == who { role } else { Role::None })
}

/// The role of a direction after the queue has not shrunk.
fn again(role: Role, excess: f64, doing: Both<Doing>, heading: Heading) -> Role {
    match role {
        Role::Grown => Role::Cleared,
        Role::None | Role::Cleared if !is_loaded(doing, heading) => role,
        Role::None | Role::Cleared if doing[heading].is_in_line() => Role::Slower,
        Role::None if excess <= GROWN_MS => Role::Grown,
        Role::None | Role::Cleared => Role::Suspected,
        known => known,
    }
}

/// True if a queue that grows is not this direction's, whose shaper holds its traffic back, but that of the
/// other one.
fn is_elsewhere(doing: Both<Doing>, heading: Heading) -> bool {
    let other = heading.opposite();
    doing[heading].is_limiting && is_loaded(doing, other) && !doing[other].is_limiting
}

/// True if the direction has traffic of its own.
fn is_loaded(doing: Both<Doing>, heading: Heading) -> bool {
    let own = doing[heading].carried - ACKS * doing[heading.opposite()].carried;
    own >= doing[heading].loaded_from
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;

    fn in_line(carried: f64, rate: f64) -> Doing {
        Doing { carried, rate, loaded_from: 1.6e6, was_limiting: true, ..Doing::default() }
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// What is lowered although the queue is the other direction's goes back.
    #[test]
    fn a_cut_that_changes_nothing_is_taken_back_and_the_other_direction_is_lowered() {
        let mut attribution = Attribution::new();
        let idle = Doing { loaded_from: 1.6e6, ..Doing::default() };
        let doing = Both { up: in_line(4e6, 40e6), down: idle };
        let up_alone = Both { up: Role::Slower, down: Role::None };
        assert_eq!(attribution.judge(100.0, doing, at(0)), up_alone);
        // The shaper of the upload holds its traffic back now, and the queue grows.
        let up = Doing { is_limiting: true, ..in_line(2e6, 2e6) };
        let doing = Both { up, down: in_line(4e6, 40e6) };
        assert_eq!(attribution.judge(120.0, doing, at(600)), up_alone);
        let down_alone = Both { up: Role::Cleared, down: Role::Slower };
        assert_eq!(attribution.judge(150.0, doing, at(700)), down_alone);
    }

    #[test]
    fn what_the_line_carries_after_a_fall_is_load() {
        let both = in_line(4e6, 40e6);
        let role = Attribution::new().judge(100.0, Both { up: both, down: both }, at(0));
        assert_eq!(role, Both { up: Role::Suspected, down: Role::Suspected });
    }
}
