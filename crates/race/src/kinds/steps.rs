//! Rates that step up and down, now and then and in each direction on its own.

use autorate::{Both, Heading};
use units::{Rng, Span};

use crate::Course;
use crate::course::{STEP, steps};
use crate::random::uniform;

/// The greatest rate of each direction, in bits per second.
const PLAN: Both<f64> = Both { up: 10e6, down: 40e6 };
/// The levels, in parts of it.
const LEVELS: (f64, f64) = (0.25, 1.0);
/// The time at one level, in seconds.
const SECONDS: (f64, f64) = (6.0, 18.0);

pub(super) fn courses(time: Span, rng: &mut Rng) -> Both<Course> {
    Both::new(|heading: Heading| {
        let mut rates = Vec::new();
        while rates.len() < steps(time) {
            let level = uniform(rng, LEVELS.0, LEVELS.1) * PLAN[heading];
            let count = uniform(rng, SECONDS.0, SECONDS.1) / STEP.as_secs_f64();
            rates.extend((0..count as usize).map(|_| level));
        }
        rates.truncate(steps(time));
        Course::even(rates)
    })
}
