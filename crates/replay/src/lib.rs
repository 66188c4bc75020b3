//! Recorded arrivals through one queue in front of one link.
//!
//! [`Arrivals`] come from comma-separated values or from a capture, told apart by content, and are
//! read as they are needed: memory does not grow with the file. [`run()`] offers each to a
//! [`link::Link`] at its time, writes the fate of each packet, and sums up in the result document
//! of all runs. Nothing here reads a clock, and the same arrivals have the same fates on every
//! machine.
//!
//! ```
//! use replay::{Arrivals, Framing, Options, Setting};
//!
//! let csv = "time_s,bytes\n0,1250\n0,1250\n0.0005,1250\n";
//! let framing = Framing { mtu: 1500, overhead: 0 };
//! let mut arrivals = Arrivals::open(csv.as_bytes(), framing)?;
//! let setting = Setting {
//!     name: "three packets".into(),
//!     queue: "pfifo limit 1".parse()?,
//!     rate: "10mbit".parse()?,
//!     framing,
//!     seed: 1,
//! };
//! let document = replay::run(&mut arrivals, &setting, Options::default())?;
//! let link = &document.links["replay"].forward;
//! // A packet takes 1 ms: the first goes at once, the second waits, the third finds no room.
//! assert_eq!((link.delivered_packets, link.drops.full), (2, 1));
//! assert_eq!(link.sojourn_ms.max, Some(1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrival;
mod arrivals;
mod capture;
mod csv;
mod error;
mod fates;
mod headers;
mod outcome;
mod packet;
mod recorder;
mod row;
mod run;
mod setting;

use arrival::Arrival;
pub use arrivals::Arrivals;
pub use capture::Framing;
pub use error::ReplayError;
pub use fates::{FateRows, FateText};
pub use meter::QueueState;
pub use run::{Options, run};
pub use setting::{Setting, check_queue, check_rate};

/// The name of the link in the result document.
const LINK: &str = "replay";
