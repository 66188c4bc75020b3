//! A queue in front of a wire.
//!
//! A [`Link`] is pure: offer packets to it, tell it the time, ask for the time of its next event,
//! and take the packets that it delivers. So the same link runs in virtual time, on the real clock
//! of one machine and on a real path.
//!
//! ```text
//!   offer --> [ queue: any Qdisc ] --> transmitter --> loss --> pipe --> take_delivery
//!                  serve pulls          capacity                delay
//! ```
//!
//! The properties of the wire are a [`Wire`]: its [`Capacity`] (a constant rate, a [`Schedule`], a
//! mahimahi [`Trace`], or no limit), its propagation delay and its [`Loss`]. The bytes that a wire
//! adds to each packet are [`Framing`].
#![no_std]

extern crate alloc;

mod capacity;
mod framing;
mod link;
mod looks;
mod loss;
mod pipe;
mod schedule;
mod signals;
mod trace;
mod transmitter;

pub use capacity::Capacity;
pub use framing::{Cells, Framing};
pub use link::{Departure, Foreseen, Link, Look, Wire};
pub use looks::Looks;
pub use loss::{BurstError, GilbertElliott, Loss};
pub use schedule::{Schedule, ScheduleError};
pub use signals::LinkSignals;
pub use trace::{Trace, TraceError};
