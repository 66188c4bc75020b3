//! A Linux kernel for tests: a guest of QEMU that runs Debian's kernel and tools, taken by name
//! from the registry of packages and not installed.
//!
//! The guest's clock counts instructions (`-icount shift=0,sleep=off`): one instruction takes one
//! nanosecond, and idle time passes at once. So times in the guest are right however busy this
//! machine is, and no hardware virtualisation is needed.
//!
//! The tests of this crate do not try with the kernel:
//!
//! - a change of PIE while it runs.
//! - `nat`: translation needs `nf_nat` and what sets it up, which the guest does not unpack. The
//!   action `ct` of tc(8) could do it, with the modules `act_ct`, `nf_flow_table` and `nf_nat`.
//! - super-packets: the raw sockets that send the packets take none above the MTU. A packet socket
//!   with `PACKET_VNET_HDR` could send them.
//!
//! ```no_run
//! use guest::{Guest, Packages};
//!
//! let packages = Packages::unpacked("target/guest".as_ref())?;
//! let results = Guest::new(&packages)?.run("tc -V >version")?;
//! assert!(results["version"].starts_with(b"tc"));
//! # Ok::<(), guest::GuestError>(())
//! ```
#![cfg(target_os = "linux")]

mod archive;
mod error;
mod machine;
mod packages;
mod record;

pub use error::GuestError;
pub use machine::{Guest, Results};
pub use packages::Packages;
pub use record::Record;
