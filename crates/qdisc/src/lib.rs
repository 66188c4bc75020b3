//! Queue disciplines as pure state machines that are told the time.
#![no_std]

extern crate alloc;

pub mod aqm;
mod packet;
mod qdisc;

pub use packet::{Ecn, Flow, Packet};
pub use qdisc::{Backlog, Cause, Dequeued, Qdisc, Signals};
