//! Rates of a shaper that follow a line whose rate changes.
//!
//! A [`Controller`] is pure: it is told the time and an [`Observation`], and answers a [`Decision`].
//! So the same rules run in the simulator and on a real line. Where the delays come from is the
//! driver's business: the two ends of a server of ours, reflectors that answer pings, or the round
//! trips of traffic that passes anyway.
//!
//! ```
//! use autorate::{Both, Controller, Limits, Observation, Rules};
//! use units::{Rate, Time};
//!
//! let limits = Limits::new(Rate::from_mbit(5), Rate::from_mbit(20), Rate::from_mbit(80))?;
//! let mut controller = Rules::Ours.controller(Both { up: limits, down: limits }, 1);
//! let decision = controller.tick(Time::ZERO, &Observation::default());
//! assert!(limits.contains(decision.rates.up));
//! # Ok::<(), autorate::LimitsError>(())
//! ```
//!
//! Each set of rules has a file in `rules/`. Those of others are written from their published
//! constants, to be raced against ours.

mod controller;
mod decision;
mod heading;
mod limits;
mod observation;
mod rules;
mod throughput;

pub use controller::Controller;
pub use decision::{Blind, Blindness, Decision, Probing, Reason};
pub use heading::{Both, Heading};
pub use limits::{Limits, LimitsError};
pub use observation::{Delay, Observation, Passage, ReflectorId, Sample};
pub use rules::Rules;
