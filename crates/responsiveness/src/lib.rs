//! Responsiveness under working conditions, as draft-ietf-ippm-responsiveness-09 defines it: a
//! client that measures against any server of the draft, and such a server.
//!
//! The meaning of the figures, and the differences from other programs, are in
//! docs/responsiveness.md.

mod client;
mod configuration;
mod content;
mod error;
mod notsent_limit;
mod parameters;
mod score;
mod server;
mod settling;
mod throttle;
mod trust;

pub use client::{Progress, Test, test};
pub use configuration::{Configuration, WELL_KNOWN};
pub use error::Error;
pub use parameters::Parameters;
pub use server::{Identity, Limits, PORT, Server, serve};
pub use trust::Trust;
