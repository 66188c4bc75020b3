//! A cable whose neighbours come home: they share a segment with us, more and more of them.
//!
//! The neighbours who load the segment are a birth and death process (M/M/infinity); each of them
//! gets as much as we do. Their number grows to a peak in the evening, which is the middle of the
//! run.

use autorate::Both;
use units::{Rng, Span};

use crate::Course;
use crate::course::{STEP, steps};
use crate::random::{chance, uniform};

/// The rates of our plan and of the segment, in bits per second.
const PLAN: Both<f64> = Both { up: 10e6, down: 60e6 };
const SEGMENT: Both<f64> = Both { up: 30e6, down: 180e6 };
/// The neighbours who load the segment at the peak, in the mean, and the seconds that one stays.
const PEAK: f64 = 8.0;
const STAY_S: f64 = 6.0;

pub(super) fn courses(time: Span, rng: &mut Rng) -> Both<Course> {
    let count = steps(time);
    let step = STEP.as_secs_f64();
    let mut courses = Both { up: Vec::new(), down: Vec::new() };
    let mut neighbours = 0_u32;
    for index in 0..count {
        // From none to the peak and back, in straight lines.
        let part = 1.0 - (2.0 * index as f64 / count as f64 - 1.0).abs();
        if chance(rng, part * PEAK / STAY_S * step) {
            neighbours += 1;
        }
        if chance(rng, f64::from(neighbours) / STAY_S * step) {
            neighbours -= 1;
        }
        let shares = f64::from(neighbours) + 1.0;
        // A neighbour's upload is smaller than ours as a rule.
        let up = uniform(rng, 0.97, 1.0) * (SEGMENT.up / (1.0 + 0.5 * (shares - 1.0)));
        courses.up.push(up.min(PLAN.up));
        courses.down.push((SEGMENT.down / shares).min(PLAN.down));
    }
    courses.map(Course::even)
}
