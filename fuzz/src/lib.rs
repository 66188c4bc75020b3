//! What must hold for any input, as functions of bytes.
//!
//! The same targets are driven in two ways: by libFuzzer, which looks for new paths (`./x fuzz`;
//! its wrappers lie in `libfuzzer/`), and by [`short`], which mutates the seeds in a reproducible
//! way and needs nothing but a stable compiler (`./x test`).

mod arrivals;
mod captures;
mod diagnosis;
mod history;
mod parsers;
pub mod short;
mod simulation;
#[cfg(target_os = "linux")]
mod super_packet;
mod sweep;
mod tcp;

pub use arrivals::arrivals;
pub use captures::{packet, pcap, pcapng};
pub use diagnosis::diagnosis;
pub use history::history;
pub use parsers::{queue, scenario, trace, units};
pub use simulation::simulation;
#[cfg(target_os = "linux")]
pub use super_packet::super_packet;
pub use sweep::sweep;
pub use tcp::tcp;
