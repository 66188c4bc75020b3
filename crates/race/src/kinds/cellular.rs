//! A cellular line, as Sprout models it.
//!
//! Specification: Winstein, Sivaraman and Balakrishnan, "Stochastic Forecasts Achieve High
//! Throughput and Low Delay over Cellular Networks", NSDI 2013, section 3.1: packets are delivered
//! by a process of Poisson whose rate is a Brownian motion with a deviation of 200 packets/s after a
//! second, from 0 to 1000 packets/s of 1500 bytes; from 0 the rate escapes once a second.
//! Deviations: the upload has half of it. An outage ends five times a second, with a rate of 50 to 150
//! packets/s, so that most of the time is not spent in outages.

use autorate::{Both, Heading};
use libm::sqrt;
use units::{Rng, Span};

use crate::Course;
use crate::random::{chance, exponential, normal, uniform};

/// The step of the motion.
const STEP_MS: u32 = 20;
/// The deviation after a second and the greatest rate, in packets per second.
const DEVIATION: f64 = 200.0;
const MOST: f64 = 1000.0;
/// The escapes from an outage, a second.
const ESCAPES: f64 = 5.0;
/// The rate after an outage, in packets per second.
const AFTER: (f64, f64) = (50.0, 150.0);

pub(super) fn courses(time: Span, rng: &mut Rng) -> Both<Course> {
    Both::new(|heading| {
        let part = if heading == Heading::Up { 0.5 } else { 1.0 };
        let millis = opportunities(time, part, rng);
        Course::bursty(&millis, time).expect("times ascend, and some packets are delivered")
    })
}

/// The times of all opportunities, in milliseconds.
fn opportunities(time: Span, part: f64, rng: &mut Rng) -> Vec<u32> {
    let end = (time.as_nanos() / 1_000_000) as u32 + 1;
    let step = f64::from(STEP_MS) / 1e3;
    let mut millis = Vec::new();
    let mut packets = uniform(rng, 0.3 * MOST, 0.7 * MOST);
    let mut began = 0;
    while began < end {
        let mean = 1e3 / (packets * part);
        let mut at = exponential(rng, mean);
        while at < f64::from(STEP_MS) {
            millis.push(began + at as u32);
            at += exponential(rng, mean);
        }
        packets = match packets > 0.0 {
            true => (packets + DEVIATION * sqrt(step) * normal(rng)).clamp(0.0, MOST),
            false if chance(rng, ESCAPES * step) => uniform(rng, AFTER.0, AFTER.1),
            false => 0.0,
        };
        began += STEP_MS;
    }
    // The trace starts over after its last line, beyond the end of the run.
    millis.push(end + STEP_MS);
    millis
}
