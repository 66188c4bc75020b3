//! The scenario file: what is simulated, read, checked and written out again.
//!
//! A scenario is a TOML (or JSON) file that names links and flows. [`Scenario::load`] reads one
//! and gives back either a [`Scenario`], in which everything has a unit and has been checked, or
//! a [`ScenarioError`] that says where the mistake is and what would be right.

mod error;
mod overrides;
mod pending;
mod route;
mod scenario;
mod topology;
mod traffic;

pub use error::{Position, ScenarioError};
pub use overrides::Override;
pub use pending::{QdiscSpec, Trace};
pub use route::{Hop, Route};
pub use scenario::{Scenario, schema};
pub use topology::{Direction, Link, LossPlan, RatePlan};
pub use traffic::{Congestion, DelayedAck, Flow, ReceiveWindow, Tcp, Traffic};
