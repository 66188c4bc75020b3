//! The way from a network namespace to the outside, for programs that must not know that they are
//! in one.
//!
//! ```text
//!   packet --> IngressFilter: opens the socket that the packet needs --> Gateway: accepts there,
//!              (in the namespace, on the thread that moves packets)      dials again outside
//! ```
//!
//! In the namespace every address is local, so that a socket bound there can answer for any address
//! of the world. Connections to the address of the [`peer`] are served here.
//!
//! Linux only; elsewhere this crate is empty.
#![cfg(target_os = "linux")]

mod datagrams;
mod dns_relay;
mod gateway;
mod ingress;
mod limit;
mod listeners;
mod one_way;
mod poll;
mod proxy_connection;
mod recent;
mod slots;

pub use gateway::{Gateway, World};
pub use ingress::{IngressFilter, Waker};
pub use limit::{ENOUGH, most};
