//! Rules of shapers that follow a line, raced on simulated lines whose rate changes.
//!
//! ```text
//!   home ── shaper ── router ── line ── isp ──┬── near server
//!           CAKE, its rate      a deep FIFO,  ├── far server
//!           set by the rules    rate varies   └── reflectors
//! ```
//!
//! Each [`LineKind`] is a model that is drawn from a seed: its rates ([`Course`]), the load that
//! comes and goes, and what goes wrong with the reflectors. Each set of rules drives the shapers of
//! the same line, and an oracle that knows the line's rate does so too. The TCP is the simulator's.
//! `cost` defines what a rule costs.

mod cost;
mod course;
mod document;
mod drive;
mod error;
mod kinds;
mod line;
mod load;
mod oracle;
mod period;
mod random;
mod reflectors;
mod request;
mod run;
mod scene;
mod truth;

pub use course::Course;
pub use error::Error;
pub use kinds::LineKind;
pub use request::Request;
pub use run::{Runner, Work, race};
