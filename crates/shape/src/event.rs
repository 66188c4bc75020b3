//! What happens to a shaper while it works.

use follow::News;
use units::{PerWay, Rate};

/// An event of a shaper's work, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Packets go through the queues, and leave at these rates: forward is upload.
    Shaping {
        /// The rates; `None` for a direction without a limit, or one that is left as it is.
        limits: PerWay<Option<Rate>>,
    },
    /// Other programs are at the hooks of the interface, before or after ours.
    Others {
        /// The number of programs.
        count: u32,
    },
    /// The interface has a queue of the kernel's that shapes too.
    KernelShaper {
        /// The kind of the queue.
        kind: String,
    },
    /// An XDP program of the kernel's general kind sees downloads twice.
    GenericXdp,
    /// The interface is gone, and the shaper waits for it.
    Gone,
    /// The interface has this name now.
    Renamed(String),
    /// It has become known, or unknown, how long the delays of the line are.
    Delays(News),
    /// The shaper cannot keep up, and lets packets pass for a while.
    SteppedAside,
}
