//! Queue disciplines as pure state machines that are told the time.
#![no_std]

extern crate alloc;

mod any;
pub mod aqm;
mod fifo;
mod flow_queue;
#[cfg(any(test, feature = "history"))]
pub mod history;
mod lane;
mod packet;
mod qdisc;
pub mod spec;
mod stats;

pub use any::AnyQdisc;
pub use fifo::{DropFrom, Fifo, Limit};
pub use flow_queue::{FlowQueue, FlowQueueParameters, FqCoDel, Overflow};
pub use lane::Lane;
pub use packet::{Ecn, Flow, Packet};
pub use qdisc::{Backlog, Cause, Dequeued, Qdisc, Signals};
pub use spec::{Environment, QdiscSpec, SpecError};
pub use stats::{DueIn, Statistics, Stats, Tally};
