//! A spike while it lasts: the targets that are struck together.

use units::{Span, Time};

/// The time within which targets are struck, and recover, that belong to one spike.
pub(crate) const TOGETHER: Span = Span::from_secs(10);
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
    /// What ended it before it was over; `None` if nothing did.
    pub(crate) cut: Option<Cut>,
    /// True for targets that stayed struck when the others of their spike had recovered: what strikes others later
    /// has another cause.
    pub(crate) is_rest: bool,
}

/// What hides the end of a spike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// A test of the path began.
    Test,
    /// Nothing could be observed from then on.
    Gap,
    /// The watch ended.
    Watch,
}

impl Group {
    pub(crate) fn new(start: Time, member: usize) -> Self {
        let members = vec![member];
        Self { start, end: start, members, is_over: false, cut: None, is_rest: false }
    }

    /// The spike of targets that stay struck from one time to another, while the others of their spike do not.
    pub(crate) fn rest(start: Time, end: Time, members: Vec<usize>) -> Self {
        Self { start, end, members, is_over: false, cut: None, is_rest: true }
    }

    /// True if a target that is struck from this time belongs to the spike. `known` is the time since which it
    /// is known what is usual for the target: before, nothing could be seen of it.
    pub(crate) fn takes(&self, onset: Time, known: Option<Time>) -> bool {
        let apart = onset.since(self.start).max(self.start.since(onset));
        let is_together = apart <= TOGETHER || known.is_some_and(|it| it > self.start);
        !self.is_over && !self.is_rest && is_together
    }

    /// Ends the spike before it is over. Does nothing if it is over.
    pub(crate) fn cut(&mut self, cut: Cut) {
        if !self.is_over {
            (self.is_over, self.cut) = (true, Some(cut));
        }
    }

    /// Goes on as if this had not ended the spike.
    pub(crate) fn resume(&mut self, cut: Cut) {
        if self.cut == Some(cut) {
            (self.is_over, self.cut) = (false, None);
        }
    }

    /// True if the spike has lasted so long that it is usual.
    pub(crate) fn is_usual(&self, now: Time) -> bool {
        now.since(self.start) > LONGEST
    }
}
