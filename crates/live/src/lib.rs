//! The real clock: namespaces, ports into the stacks of kernels, and the loop that moves packets
//! between them through links.
//!
//! ```text
//!   namespace          Fabric, one thread                        namespace
//!   kernel's stack -- Port -> Arena -> Link (queue, wire) -> Port -- kernel's stack
//! ```
//!
//! Linux only; elsewhere this room is empty. `unsafe` stands in `sys` alone.
#![cfg(target_os = "linux")]

mod arena;
mod cut;
mod fabric;
mod health;
mod namespace;
pub mod network;
mod offload;
mod parcel;
mod port;
mod priority;
mod privilege;
mod super_packet;
mod sys;

pub(crate) use arena::Arena;
pub use cut::Cut;
pub use fabric::{DirectionSetup, Fabric, LinkView, Watch};
pub use health::Health;
pub use kernel::Clock;
pub use namespace::Namespace;
pub use offload::{Offload, PartialChecksum, Segmentation};
pub use parcel::Parcel;
pub use port::{Port, PortError, PortKind, PortOptions, Reading, Received};
pub use priority::{forbid_real_time, use_real_time, use_short_turns};
pub use privilege::{CapabilitySet, Isolation, IsolationError, isolate, keep_only, renounce};
pub use super_packet::{Malformed, SuperPacket};
