//! The oracle, which knows the line's rate at each instant.

use autorate::{Both, Controller, Decision, Heading, Limits, Observation, Probing, Reason};
use units::{Rate, Span, Time};

use crate::Course;
use crate::course::{STEP, rate};

/// The part of the line's rate that its shapers get, so that they have the queue.
const KEPT: f64 = 0.98;

/// A controller that looks the rates up.
#[derive(Debug)]
pub(crate) struct Oracle<'a> {
    courses: &'a Both<Course>,
    limits: Both<Limits>,
}

impl<'a> Oracle<'a> {
    pub(crate) const fn new(courses: &'a Both<Course>, limits: Both<Limits>) -> Self {
        Self { courses, limits }
    }

    /// The rate now, within the limits. A shaper that follows a line down to nothing would still hold
    /// its packets when the line is back.
    fn rate(&self, heading: Heading, now: Time) -> Rate {
        let limits = self.limits[heading];
        rate(KEPT * self.courses[heading].at(now)).clamp(limits.minimum(), limits.maximum())
    }
}

impl Controller for Oracle<'_> {
    fn interval(&self) -> Span {
        STEP
    }

    fn tick(&mut self, now: Time, _: &Observation<'_>) -> Decision {
        Decision {
            rates: Both::new(|heading| self.rate(heading, now)),
            reasons: Both::new(|_| Reason::Hold),
            blind: None,
            probing: Probing { reflectors: 0, every: None },
            replace: None,
        }
    }
}
