//! TCP as Linux has it, as a pure state machine: no socket, no clock, no payload bytes.

pub mod cc;
mod config;
mod rtt;
mod segment;
mod sender;

pub use config::{AckPolicy, Config, Congestion, LossDetection, ReceiveWindow, RtoFloor};
pub use segment::{Flags, IP_HEADER, SackBlocks, Segment, SynOptions, Timestamps};
pub use rtt::timestamp;
pub use sender::{Acknowledgement, Negotiated, Outgoing, Sender, SenderStats, State};
