//! The real clock: ports into the stacks of kernels, and the loop that moves packets between them
//! through links.
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
mod known_flow;
mod offload;
mod port;
mod queued_packet;
mod slice;
mod super_packet;
mod sys;

pub use arena::Arena;
pub use fabric::{
    Adjustment, Admission, Change, DirectionSetup, Fabric, LinkView, PortId, Watch, processor_time,
};
pub use health::Health;
pub use kernel::Clock;
pub use known_flow::KnownFlow;
pub use offload::{Offload, PartialChecksum, Segmentation};
pub use port::{Format, LinkLayer, Port, PortError, PortKind, PortOptions, Reading, Received};
pub use queued_packet::{KeptPacket, QueuedPacket};
pub use sandbox::Namespace;
pub use slice::packets_of_a_slice;
pub use super_packet::{Malformed, PacketSlices, SuperPacket};
