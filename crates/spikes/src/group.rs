//! A spike while it lasts: the targets that are struck together.

use units::{Span, Time};

/// The time within which targets are struck that belong to one spike.
const TOGETHER: Span = Span::from_secs(10);
/// The longest spike. What lasts longer is usual from then on: another route, a slower line.
const LONGEST: Span = Span::from_secs(600);

/// The struck targets of a spike.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) start: Time,
    /// The last struck probe so far.
    pub(crate) end: Time,
    /// The struck targets, by index.
    pub(crate) members: Vec<usize>,
    /// True once no more targets are struck.
    pub(crate) is_over: bool,
}

impl Group {
    pub(crate) fn new(start: Time, member: usize) -> Self {
        Self { start, end: start, members: vec![member], is_over: false }
    }

    /// True if a target that is struck from this time belongs to the spike.
    pub(crate) fn takes(&self, onset: Time) -> bool {
        !self.is_over && onset.since(self.start).max(self.start.since(onset)) <= TOGETHER
    }

    /// True if the spike has lasted so long that it is usual.
    pub(crate) fn is_usual(&self, now: Time) -> bool {
        now.since(self.start) > LONGEST
    }
}
