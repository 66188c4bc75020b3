//! Load and latency of a path, measured between a client and a server that speak one protocol.
//!
//! The client yields [`Observations`](observation::Observations) and judges nothing.

#[cfg(target_os = "linux")]
pub mod client;
#[cfg(target_os = "linux")]
pub mod clock;
pub mod datagram;
#[cfg(target_os = "linux")]
pub mod interface;
#[cfg(target_os = "linux")]
pub mod path;
pub mod protocol;
#[cfg(target_os = "linux")]
pub mod server;
pub mod token;
