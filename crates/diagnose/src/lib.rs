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
//!                                                  │
//!                       conclusions: grade, lag, effects, responsiveness
//! ```

mod both;
mod buffer;
mod busy;
mod call;
pub mod certainty;
mod clock;
mod conclusions;
mod direction;
mod drops;
mod effects;
mod favoured;
mod findings;
mod flow;
pub mod grade;
mod handshakes;
mod hops;
mod lag;
mod limit;
mod located;
pub mod machine;
mod offender;
mod others;
mod pages;
mod passage;
mod processors;
mod queue;
mod quiet;
mod rate;
mod responsiveness;
mod series;
mod server_rate;
mod signs;
mod spread;
mod traffic;
mod window;

use results::Measurement;
use results::observation::Observations;

use direction::View;
pub use limit::Limit;

/// Judges what was observed. What names the test (server, times, why it is partial) is the caller's.
pub fn diagnose(observations: &Observations) -> Measurement {
    let view = View::new(observations);
    let mut measurement = direction::measurement(&view);
    server_rate::apply(&view, &mut measurement);
    others::acknowledge(&mut measurement);
    measurement.limits = limit::limits(&view, &measurement).iter().map(Limit::remark).collect();
    located::locate(&view, &mut measurement);
    conclusions::conclude(observations, &mut measurement);
    measurement
}
