//! The connections of a capture, followed packet by packet.
//!
//! [`Connections`] takes the records of a capture, one after the other, and keeps what each connection did in
//! each direction. The memory that it needs grows with the number of connections and with the data in flight,
//! not with the number of packets.
//!
//! The counts are those of `tcptrace -l` (S. Ostermann, Ohio University), whose names are in the docs of the
//! fields, so that both can be held side by side. Where tcptrace counts something that a name would not make
//! one expect, the doc says so.

mod anomalies;
mod base;
mod clock;
mod connection;
mod connections;
mod copies;
mod datagrams;
mod direction;
mod document;
mod duplicates;
mod echoes;
mod endpoint;
mod event;
mod holes;
mod in_flight;
mod limits;
mod losses;
mod observed;
mod over_time;
mod pace;
mod packet;
mod passed;
mod recorder;
mod round_trips;
mod samples;
mod scoreboard;
mod sent;
mod sequence;
mod spacing;
mod together;
mod waits;
mod way;
mod windows;
mod xplot;

pub use anomalies::{Anomalies, Backward};
pub use connections::Connections;
pub use event::{AckEffect, Effect, Event, Observer};
pub use recorder::Recorder;
pub use xplot::{Graph, Xplot};
