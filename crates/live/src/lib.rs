//! The lab in real time: namespaces, ports into the stacks of kernels, and the loop that moves
//! packets between them through links.
//!
//! ```text
//!   namespace          Fabric, one thread                        namespace
//!   kernel's stack -- Port -> Arena -> Link (queue, wire) -> Port -- kernel's stack
//! ```
//!
//! Linux only; elsewhere this crate is empty. Only `sys` has `unsafe` code.
#![cfg(target_os = "linux")]

mod arena;
mod fabric;
mod health;
mod namespace;
pub mod network;
mod offload;
mod packet_slices;
mod port;
mod priority;
mod privilege;
mod queued_packet;
mod super_packet;
mod sys;

pub use arena::Arena;
pub use fabric::{DirectionSetup, Fabric, LinkView, Watch};
pub use health::Health;
pub use kernel::Clock;
pub use namespace::Namespace;
pub use offload::{Offload, PartialChecksum, Segmentation};
pub use packet_slices::PacketSlices;
pub use port::{Port, PortError, PortKind, PortOptions, Reading, Received};
pub use priority::{forbid_real_time, use_real_time, use_short_turns};
pub use privilege::{
    CapabilitySet, Isolation, IsolationError, drop_privileges, isolate, keep_only,
};
pub use queued_packet::QueuedPacket;
pub use super_packet::{Malformed, SuperPacket};
