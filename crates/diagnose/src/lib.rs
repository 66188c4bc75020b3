//! What a measurement means: observations in, findings out. Pure: no clock, no socket, no file.
//!
//! ```text
//! Observations ── clock: whose time is what ── passage: what probes waited, each way
//!      │                                           │
//!      └── flow, traffic: what was carried ── window: when the load had settled
//!                                                  │
//!                       direction: rate, delays, loss, buffer, kind of queue
//!                                                  │
//!                        located: the hop that holds it ── offender: by answers of routers
//! ```

mod clock;
mod direction;
mod flow;
mod hops;
mod located;
mod offender;
mod passage;
mod series;
mod spread;
mod traffic;
mod window;

mod conclusions;
mod effects;
mod lag;
mod responsiveness;

use results::Measurement;
use results::observation::Observations;

use direction::View;

/// Judges what was observed. What names the test (server, times, why it is partial) is the caller's.
pub fn diagnose(observations: &Observations) -> Measurement {
    let view = View::new(observations);
    let mut measurement = direction::measurement(&view);
    located::locate(&view, &mut measurement);
    conclusions::conclude(observations, &mut measurement);
    measurement
}
