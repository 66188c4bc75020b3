//! What a measurement means: observations in, findings out. Pure: no clock, no socket, no file.
//!
//! ```text
//! Observations ── clock: whose time is what ── passage: what probes waited, each way
//!      │                                           │
//!      └── flow, traffic: what was carried ── window: when the load had settled
//!                                                  │
//!                       direction: rate, delays, loss, buffer, kind of queue
//!                                                  │
//!                       conclusions: grade, lag, effects, responsiveness
//! ```

mod clock;
mod conclusions;
mod direction;
mod effects;
mod flow;
mod lag;
mod passage;
mod responsiveness;
mod series;
mod spread;
mod traffic;
mod window;

use results::Measurement;
use results::observation::Observations;

/// Judges what was observed. What names the test (server, times, why it is partial) is the caller's.
pub fn diagnose(observations: &Observations) -> Measurement {
    let mut measurement = direction::measurement(observations);
    conclusions::conclude(observations, &mut measurement);
    measurement
}
