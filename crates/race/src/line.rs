//! A line with all that happens to it.

use autorate::{Both, Limits};
use units::Span;

use crate::Course;
use crate::course::rate;
use crate::load::Phase;
use crate::period::Period;

/// A line with all that happens to it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The rate of each direction.
    pub(crate) courses: Both<Course>,
    /// The rates that the user allows each set of rules.
    pub(crate) limits: Both<Limits>,
    /// The load, one phase after the other.
    pub(crate) load: Vec<Phase>,
    /// The faults of the reflectors.
    pub(crate) trouble: Trouble,
}

/// The faults of the reflectors and of the path to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trouble {
    /// The mean noise of an answer, in milliseconds.
    pub(crate) noise_ms: f64,
    /// The times at which no reflector answers, though the line lives.
    pub(crate) silences: Vec<Period>,
    /// The times at which some reflectors have a queue of their own.
    pub(crate) astray: Vec<Period>,
    /// The longer path of each period of this length, in milliseconds; `None` for a path that does
    /// not change.
    pub(crate) detours: Option<Detours>,
}

/// Paths that change at regular times.
#[derive(Clone, Debug)]
pub(crate) struct Detours {
    /// The time from one change to the next.
    pub(crate) every: Span,
    /// The delay beyond the shortest path of each period, in milliseconds.
    pub(crate) longer_ms: Vec<f64>,
}

/// The limits that a user sets for a line with this course: the base is its median, and the others
/// are an eighth of it and what the line exceeds in one of fifty steps only.
pub(crate) fn limits(course: &Course) -> Limits {
    let base = course.quantile(0.5).max(64_000.0);
    let most = course.quantile(0.98).max(base);
    Limits::new(rate(base / 8.0), rate(base), rate(most)).expect("the rates are in this order")
}
