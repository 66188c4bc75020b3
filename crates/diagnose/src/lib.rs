//! What a measurement means: observations in, findings out. Pure: no clock, no socket, no file.

pub mod hops;
pub mod offender;

use results::Measurement;
use results::observation::Observations;

/// Judges what was observed. What names the test (server, times, why it is partial) is the caller's.
pub fn diagnose(_observations: &Observations) -> Measurement {
    Measurement::default()
}
