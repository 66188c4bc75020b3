//! Our queues on the traffic of a real interface, in user space.
//!
//! ```text
//!                        program at egress                 socket with our mark
//!   kernel's stack -- eth0 ---------> device of ours -- queue up ---------> eth0 -- wire
//!                        program at ingress                program at our device
//!   wire -- eth0 ---------> device of ours -- queue down -> device of ours ---> eth0 -- stack
//! ```
//!
//! Addresses, routes and names of the interface stay as they are. The programs are attached by
//! descriptors (TCX, Linux 6.6), so the kernel detaches them when this process ends, however it ends;
//! and they let packets pass when this process has not been heard of for some time. A second process
//! passes on the packets that wait for one that has ended or hangs.
//!
//! Linux only; elsewhere this crate is empty. Only `sys` has `unsafe` code.
#![cfg(target_os = "linux")]

mod control;
mod direction;
mod error;
mod event;
mod factory;
mod hooks;
mod interface;
mod neighbours;
mod observer;
mod pace;
mod passing;
mod program;
mod requests;
mod settings;
mod shaper;
mod standby;
mod starvation;
mod sys;
mod translation;
mod work;

pub use control::{Place, Request, ask};
pub use error::ShapeError;
pub use event::Event;
pub use factory::{Factory, Foreign, Shown};
pub use follow::{FollowError, News};
pub use interface::Interface;
pub use settings::{FollowSettings, QueueSettings, Settings, Unable};
pub use shaper::Shaper;
pub use work::Latest;
