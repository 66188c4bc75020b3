//! Properties that must hold for any input, as functions of bytes.
//!
//! The same targets are run in two ways: by libFuzzer, which searches for new paths (`./x fuzz`;
//! its wrappers are in `libfuzzer/`), and by [`short`], which mutates the seeds in a reproducible
//! way and needs only a stable compiler (`./x test`).

mod arrivals;
mod blocks;
mod captures;
mod diagnosis;
mod ends;
mod foreign;
mod history;
#[cfg(target_os = "linux")]
mod measure;
mod parsers;
mod probes;
#[cfg(target_os = "linux")]
mod responsiveness;
mod segments;
pub mod short;
mod simulation;
#[cfg(target_os = "linux")]
mod super_packet;
mod sweep;
mod tcp;

pub use arrivals::arrivals;
pub use blocks::blocks;
pub use captures::{foreign_capture, packet, pcap, pcapng};
pub use diagnosis::diagnosis;
pub use ends::ends;
pub use foreign::{flent, irtt};
pub use history::history;
#[cfg(target_os = "linux")]
pub use measure::{conversation, datagram};
pub use parsers::{listing, netlink, queue, scenario, survey, threshold, trace, units};
pub use probes::probes;
#[cfg(target_os = "linux")]
pub use responsiveness::configuration;
pub use segments::segments;
pub use simulation::simulation;
#[cfg(target_os = "linux")]
pub use super_packet::super_packet;
pub use sweep::sweep;
pub use tcp::tcp;
