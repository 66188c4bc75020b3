//! Load and latency of a path, measured between a client and a server that speak one protocol.
//!
//! The client yields [`Observations`](results::observation::Observations) and judges nothing.

#[cfg(target_os = "linux")]
pub mod client;
pub mod datagram;
pub mod protocol;
pub mod token;
