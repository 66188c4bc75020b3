//! Programs in namespaces of their own, without privilege.
//!
//! [`isolate()`] lets an ordinary user make [`Namespace`]s, each with a network stack that
//! [`network`] gives addresses and routes; [`drop_privileges()`] and [`keep_only()`] give rights up
//! again. A [`Command`] runs in such a namespace under an init. When this process ends, the init
//! ends with everything that it has started:
//!
//! ```text
//!   this process                    process 1 of a new process namespace
//!   Watcher <-- control line --> init --> the command, and what it starts
//! ```
//!
//! Linux only; elsewhere this crate is empty. Only `sys` has `unsafe` code.
#![cfg(target_os = "linux")]

mod command;
mod namespace;
pub mod network;
mod priority;
mod privilege;
mod sys;

pub use command::{
    Command, Launch, Outcome, Replacement, SandboxError, Signals, Watcher, init,
    with_signals_blocked,
};
pub use namespace::Namespace;
pub use priority::{forbid_real_time, use_real_time, use_short_turns};
pub use privilege::{
    CapabilitySet, Isolation, IsolationError, drop_privileges, isolate, keep_only,
};
