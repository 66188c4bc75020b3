//! Applications: when they send how much, and what they measure.
//!
//! An application is a pure state machine. It is told the time and what has been delivered, and it
//! returns requests: to open a connection, to write bytes, to close a connection, to send a
//! datagram, and to be woken at a time. It knows no clock, no socket and no transport. The
//! simulator carries out the requests with our own TCP in virtual time, the lab with sockets of a
//! kernel. So both have the same application and differ in their transport alone.
//!
//! An application has both ends of a flow, and learns at once what has been delivered to either.

mod active_period;
mod application;
mod cbr;
mod datagram;
mod delays;
mod delivered;
mod end;
mod numbered;
mod packmime;
mod page;
mod ping;
mod stream;
mod web;
mod workload;

pub use active_period::ActivePeriod;
pub use application::{Application, Received, Request};
pub use cbr::Cbr;
pub use datagram::Datagram;
pub use delays::Delays;
pub use end::End;
pub use numbered::Numbered;
pub use page::Page;
pub use ping::Ping;
pub use stream::Stream;
pub use web::Web;
pub use workload::Workload;
