//! Rules of [`autorate`] on a real line: delays in, decisions out.
//!
//! A [`Follower`] is told at regular times what passed the shapers of a line, whoever shapes: a shaper of
//! ours, or the kernel's queues. Delays come from one of three [sources](Source): a server of ours, which
//! tells those of each direction apart; reflectors, which answer pings; or the TCP connections that pass anyway.
//!
//! ```text
//!   server of ours ── UDP ──┐
//!   hosts ────────── ICMP ──┴─ thread `delays` ── samples ──┐
//!   TCP that passes ─────────────────────────── samples ────┴─> Follower ── rates
//! ```
//!
//! Linux only; elsewhere this crate is empty.
#![cfg(target_os = "linux")]

mod error;
mod follower;
mod kernel_queues;
mod link_socket;
mod prober;
mod round_trips;
mod source;
mod state;

pub use error::FollowError;
pub use follower::{Follower, News, Settings};
pub use kernel_queues::{KernelQueues, Look, LookError};
pub use prober::AnswersTo;
pub use round_trips::RoundTrips;
pub use source::Source;
