//! Links: what lies between the nodes.

use link::{Schedule, Trace};
use qdisc::QdiscSpec;
use units::{Bytes, Prob, Rate, Span};

/// A wire between two nodes, with a queue in front of each end.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Unique among the links.
    pub name: String,
    /// The node at one end.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// From `from` to `to`.
    pub forward: Direction,
    /// From `to` back to `from`.
    pub reverse: Direction,
}

/// One direction of a link: a queue, then a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// How fast the wire takes packets; `None` if it takes no time at all.
    pub rate: Option<RatePlan>,
    /// Propagation, one way.
    pub delay: Span,
    /// The queue in front of the wire.
    pub queue: QdiscSpec,
    /// Bytes that this wire adds to each IP packet.
    pub overhead: Bytes,
    /// How many bytes the shaper that keeps the rate saves up while idle; `None` if the rate is
    /// that of a wire.
    pub shaper: Option<Bytes>,
    /// What the wire loses.
    pub loss: LossPlan,
}

/// The rate of a wire over time.
#[derive(Clone, Debug, PartialEq)]
pub enum RatePlan {
    /// Always the same.
    Constant(Rate),
    /// From each time on, that rate.
    Schedule(Schedule),
    /// As recorded in a mahimahi trace.
    Trace {
        /// Where the trace was read, as the scenario names it (relative to the scenario file).
        path: String,
        /// The delivery opportunities.
        trace: Trace,
    },
}

/// Packets that a wire loses after they have left the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossPlan {
    /// None.
    None,
    /// Each packet on its own, with this probability.
    Random(Prob),
    /// In bursts: after a lost packet the next is more likely to be lost too (Gilbert's model).
    Bursty {
        /// The share of packets lost in the long run, less than 1.
        rate: Prob,
        /// Mean length of a burst in packets, at least 1; a burst ends after each packet with
        /// probability 1/`burst`, and one begins with probability
        /// `rate` / (`burst` (1 - `rate`)), which is at most 1.
        burst: f64,
    },
}
