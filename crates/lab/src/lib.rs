//! The lab: the queues of `qdisc`, unchanged, between real Linux stacks on one machine.
//!
//! [`run()`] runs a scenario file in real time: each node is a network namespace, each link a
//! [`link::Link`] between two ports, each flow a socket. [`inside()`] runs any program at one end
//! of a link, and [`between()`] lets the caller use the nodes of a scenario. All need [`isolate()`]
//! first, and no privilege.
//!
//! Linux only; elsewhere this crate is empty.
#![cfg(target_os = "linux")]

mod between;
mod check;
mod descriptors;
mod error;
mod fit;
mod inside;
mod options;
mod outcome;
mod over;
mod plan;
mod recorder;
mod run;
mod stage;
mod traffic;
mod validity;

pub use between::{Between, between};
pub use check::{Finding, check};
pub use error::LabError;
pub use fit::{congestion_controls, fit};
pub use inside::{Ended, inside};
pub use live::{Clock, PortKind};
pub use meter::{QueueState, StayOptions};
pub use options::{AtPeer, DirectionStatus, Options, PcapOptions, Progress, SeriesOptions, Status};
pub use over::{Node, flows_over};
pub use recorder::{Crossing, Datagrams};
pub use run::run;
pub use sandbox::{IsolationError, Namespace, init, isolate, with_signals_blocked};
