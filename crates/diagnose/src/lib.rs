//! What a measurement means: observations in, findings out. Pure: no clock, no socket, no file.

mod conclusions;
mod effects;
mod lag;
mod responsiveness;

use results::Measurement;
use results::observation::Observations;

/// Judges what was observed. What names the test (server, times, why it is partial) is the caller's.
pub fn diagnose(observations: &Observations) -> Measurement {
    let mut measurement = Measurement::default();
    conclusions::conclude(observations, &mut measurement);
    measurement
}
