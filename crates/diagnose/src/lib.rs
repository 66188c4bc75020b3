//! What a measurement means: observations in, findings out. Pure: no clock, no socket, no file.
//!
//! ```text
//! Observations ── clock: whose time is what ── passage: what probes waited, each way
//!      │                                           │
//!      └── flow, traffic: what was carried ── window: when the load had settled
//!                                                  │
//!                       direction: rate, delays, loss, buffer, kind of queue
//! ```

mod clock;
mod direction;
mod flow;
mod passage;
mod series;
mod spread;
mod traffic;
mod window;

use results::Measurement;
use results::observation::Observations;

/// Judges what was observed. What names the test (server, times, why it is partial) is the caller's.
pub fn diagnose(observations: &Observations) -> Measurement {
    direction::measurement(observations)
}
