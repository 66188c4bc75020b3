//! A server and its clients, friendly and not, over real sockets of this machine.
#![cfg(target_os = "linux")]

mod bounds;
mod client;
mod crowd;
mod hostile;
mod load;
mod objects;
mod probes;
