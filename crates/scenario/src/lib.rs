//! The scenario file, which describes what is simulated or run in the lab: read, checked and
//! written.
//!
//! A scenario is a TOML (or JSON) file that names links and flows. [`Scenario::load`] reads one and
//! returns either a [`Scenario`], in which everything has a unit and has been checked, or a
//! [`ScenarioError`] with the place of the mistake and what would be right.
//!
//! ```
//! use scenario::{Override, Scenario};
//!
//! let text = r#"
//!     duration = "60s"
//!     link = [{ name = "uplink", from = "home", to = "isp", rate = "2mbit", queue = "codel" }]
//!     flow = [{ name = "backup", from = "home", to = "isp", traffic = "bulk" }]
//! "#;
//! let no_traces = |_: &str| Err(std::io::ErrorKind::NotFound.into());
//! let scenario = Scenario::parse(text, "home.toml", &[], &no_traces)?;
//! assert_eq!(scenario.flows[0].tcp.initial_window, 10); // Linux's defaults
//!
//! let change: Override = "link.uplink.rate=2mbps".parse()?;
//! let error = Scenario::parse(text, "home.toml", &[change], &no_traces).unwrap_err();
//! assert!(error.message.contains("`2mbps` is ambiguous"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//!   text -- tree --> Node -- overrides --> Node -- serde --> file -- check --> Scenario
//!                    (values with places)          (keys as written)      (meaning, defaults)
//! ```

mod address;
mod bottleneck;
mod check;
mod error;
mod fault;
mod file;
mod load;
mod locate;
mod overrides;
mod read;
mod route;
mod scenario;
mod setting;
mod source;
mod suggest;
mod sweep;
mod topology;
mod traffic;
mod tree;
mod write;

pub use address::{AddressPair, Addresses, Host};
pub use check::RATES;
pub use error::{Notation, Origin, Position, ScenarioError};
pub use load::schema;
pub use route::Route;
pub use scenario::Scenario;
pub use setting::{Override, Vary};
pub use sweep::{Axis, Sweep};
pub use topology::{Change, Direction, Link, LossPlan, MTU, Randomness, RatePlan};
pub use traffic::{Codec, Congestion, Flow, PingTimer, Recurrence, Start, Tcp, Traffic, Writing};
pub use transport::{AckPolicy, LossDetection, ReceiveWindow};
