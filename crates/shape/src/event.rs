//! What happens to a shaper while it works.

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
    /// An XDP program of the kernel's general kind sees downloads twice.
    GenericXdp,
    /// The interface is gone, and the shaper waits for it.
    Gone,
    /// The interface has this name now.
    Renamed(String),
    /// No delay is known any more: the rates are those that the line carried lately.
    Blind,
    /// Delays are known again.
    Sees,
    /// The shaper cannot keep up, and lets packets pass for a while.
    SteppedAside,
}
