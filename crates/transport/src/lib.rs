//! TCP as Linux has it, as a pure state machine: no socket, no clock, no payload bytes.

pub mod cc;
mod config;
mod selective;
mod right_sizing;
mod receiver;
mod receive_window;
mod reassembly;
mod handshake;
mod endpoint;
mod ecn_echo;
mod delayed_ack;
mod ack_compression;
mod rtt;
mod segment;
mod sender;

pub use endpoint::{ConnectionState, Endpoint};
pub use receiver::{Receiver, ReceiverStats};
pub use config::{AckPolicy, Config, Congestion, LossDetection, ReceiveWindow, RtoFloor};
pub use segment::{Flags, IP_HEADER, SackBlocks, Segment, SynOptions, Timestamps};
pub use rtt::timestamp;
pub use sender::{Acknowledgement, Negotiated, Outgoing, Sender, SenderStats, State};
