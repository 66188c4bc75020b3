//! What a controller answers.

use units::{Rate, Span, Time};

use crate::{Both, ReflectorId};

/// The rates and the probes until the next tick, and the reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The rate of each shaper.
    pub rates: Both<Rate>,
    /// The reason for each rate.
    pub reasons: Both<Reason>,
    /// The blindness of the controller; `None` while it sees, or if its rules do not know
    /// blindness.
    pub blind: Option<Blind>,
    /// The probes that are wanted now.
    pub probing: Probing,
    /// A reflector that should give way to another one; `None` if all are of use.
    pub replace: Option<ReflectorId>,
}

/// The rate of one direction, and the reason for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paced {
    pub(crate) rate: Rate,
    pub(crate) reason: Reason,
}

impl Decision {
    /// A decision of rules that see, and that replace no reflector.
    pub(crate) fn of(directions: Both<Paced>, probing: Probing) -> Self {
        Self {
            rates: directions.map(|it| it.rate),
            reasons: directions.map(|it| it.reason),
            blind: None,
            probing,
            replace: None,
        }
    }
}

/// The reason for a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing speaks for another rate.
    Hold,
    /// The line's queue grows: the rate is lowered to what the line carries.
    Bloated,
    /// The line's queue is still there: the rate stays low until it is gone.
    Draining,
    /// The line's queue is gone: the rate goes back to what the line carried.
    Drained,
    /// The shaper is full and the line's queue is not: the rate is raised.
    Loaded,
    /// The direction is idle: the rate goes to the base.
    Idle,
    /// The delay grew though the rate did not cause it: the path has changed, or others load it.
    NotOurs,
    /// No delay is known: the rate is one that the line carried lately.
    Blind,
}

/// The blindness of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blind {
    /// The cause.
    pub cause: Blindness,
    /// The time since which no delay is known.
    pub since: Time,
}

/// The cause of blindness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blindness {
    /// No reflector answers, though traffic passes: the line lives.
    Silent,
    /// No reflector answers, and hardly any traffic passes: the line is dead, or nobody uses it.
    Dead,
}

/// The probes that a controller wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probing {
    /// The number of reflectors that are asked in turn.
    pub reflectors: usize,
    /// The time from one request to the next, whichever reflector is asked; `None` for no requests.
    pub every: Option<Span>,
}

impl Probing {
    /// Probes of so many reflectors in turn, each of them once in this time.
    pub(crate) fn in_turn(reflectors: usize, each: Span) -> Self {
        let every = Span::from_nanos(each.as_nanos() / reflectors as u64);
        Self { reflectors, every: Some(every) }
    }
}
