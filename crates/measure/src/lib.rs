//! Load and latency of a path, measured between a client and a server that speak one protocol.
//!
//! The client yields [`Observations`](results::observation::Observations) and judges nothing.

pub mod datagram;
pub mod interface;
pub mod path;
pub mod protocol;
