//! A DSL line that loses its synchronisation: nothing for some seconds, then another rate.

use autorate::{Both, Heading};
use units::{Rng, Span};

use crate::Course;
use crate::course::{STEP, steps};
use crate::random::uniform;

/// The greatest rate of each direction, in bits per second.
const PLAN: Both<f64> = Both { up: 10e6, down: 50e6 };
/// The rate after a resynchronisation, in parts of it.
const LEVELS: (f64, f64) = (0.35, 1.0);
/// The time from one resynchronisation to the next, and that in which nothing passes, in seconds.
const SECONDS: (f64, f64) = (25.0, 50.0);
const GAP_S: (f64, f64) = (3.0, 6.0);

pub(super) fn courses(time: Span, rng: &mut Rng) -> Both<Course> {
    let mut courses = Both { up: Vec::new(), down: Vec::new() };
    while courses.up.len() < steps(time) {
        let level = uniform(rng, LEVELS.0, LEVELS.1);
        let count = (uniform(rng, SECONDS.0, SECONDS.1) / STEP.as_secs_f64()) as usize;
        let gap = (uniform(rng, GAP_S.0, GAP_S.1) / STEP.as_secs_f64()) as usize;
        for heading in Heading::BOTH {
            courses[heading].extend((0..count).map(|_| level * PLAN[heading]));
            courses[heading].extend((0..gap).map(|_| 0.0));
        }
    }
    courses.map(|mut rates: Vec<f64>| {
        rates.truncate(steps(time));
        Course::even(rates)
    })
}
