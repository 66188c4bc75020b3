//! The interface of all rules.

use units::{Span, Time};

use crate::{Decision, Observation};

/// Rules that choose the rates of both shapers.
///
/// A driver calls [`tick`](Self::tick) at regular times, carries out the decision, and collects what
/// is seen until the next tick. A controller never fails and never panics, whatever it is told.
pub trait Controller {
    /// The time from tick to tick.
    fn interval(&self) -> Span;

    /// Takes what was seen since the last tick, and decides. Times never run backwards.
    fn tick(&mut self, now: Time, seen: &Observation<'_>) -> Decision;
}
