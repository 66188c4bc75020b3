//! TCP as in Linux, as a pure state machine: no socket, no clock, no payload bytes.
//!
//! An [`Endpoint`] is one end of a connection: a [`Sender`] and a [`Receiver`], with the opening
//! and closing of the connection. The caller tells it what was received and what time it is, and
//! delivers the segments that it sends:
//!
//! ```
//! use transport::{Config, Endpoint};
//! use units::{Span, Time};
//!
//! let delay = Span::from_millis(10);
//! let (mut client, mut server) =
//!     (Endpoint::client(Config::default()), Endpoint::server(Config::default()));
//! let mut now = Time::ZERO;
//! client.connect(now);
//! client.write(5_000);
//! while server.received() < 5_000 {
//!     let sent: Vec<_> = core::iter::from_fn(|| client.poll(now)).collect();
//!     now += delay;
//!     sent.iter().for_each(|segment| server.on_segment(segment, false, now));
//!     let answers: Vec<_> = core::iter::from_fn(|| server.poll(now)).collect();
//!     now += delay;
//!     answers.iter().for_each(|segment| client.on_segment(segment, false, now));
//! }
//! assert_eq!(now, Time::from_millis(40));
//! ```
//!
//! A congestion control of one's own is given by a [`cc::Factory`].

mod ack_compression;
pub mod cc;
mod config;
mod delayed_ack;
mod ecn_echo;
mod endpoint;
mod gaps;
mod handshake;
mod min_rtt;
mod new_reno;
mod pacing;
mod plain_segment;
mod prr;
mod rack;
mod reassembly;
mod receive_window;
mod receiver;
mod rfc6675;
mod right_sizing;
mod rtt;
mod scoreboard;
mod segment;
mod selective;
mod sender;
mod sending;
mod stream;
mod super_packet;
mod tail_loss_probe;
mod timestamp_echo;
mod usage;

pub use cc::Congestion;
pub use config::{AckPolicy, Config, LossDetection, ReceiveWindow, RtoFloor};
pub use endpoint::{ConnectionState, Endpoint};
pub use plain_segment::PlainSegment;
pub use receiver::{Receiver, ReceiverStats};
pub use rtt::timestamp;
pub use segment::{Flags, IP_HEADER, SackBlocks, Segment, SynOptions, Timestamps};
pub use sender::{Acknowledgement, CongestionState, Negotiated, Outgoing, Sender, SenderStats};
