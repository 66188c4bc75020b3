//! The contract of an active queue management algorithm: it decides, and holds no packets.
//!
//! Split by who owns what, as Linux splits `codel_params` from `codel_vars`: the implementing type
//! holds what all its queues share (parameters, the random source), [`Aqm::State`] is what one
//! queue remembers. So FQ-CoDel holds one `CoDel` and a thousand small states.

use units::{Bytes, Span, Time};

use crate::Backlog;

/// What the algorithm wants done with the packet at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let it pass.
    Pass,
    /// Signal congestion: mark if the packet is ECN-capable and [`Aqm::ecn`] allows it, else drop.
    Signal,
    /// Drop, ECN-capable or not.
    Drop,
    /// Mark if the packet is ECN-capable, else let it pass (`ce_threshold`).
    Mark,
}

/// A packet about to join a queue.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its length.
    pub len: Bytes,
    /// Is it ECN-capable?
    pub ecn_capable: bool,
    /// What waits in its queue, without it.
    pub backlog: Backlog,
    /// The time.
    pub now: Time,
}

/// A packet about to leave a queue.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// Its length.
    pub len: Bytes,
    /// How long it waited.
    pub sojourn: Span,
    /// What is left behind it in its queue.
    pub backlog: Backlog,
    /// What is left in the whole set of queues that share the link (RFC 8289 section 4.4).
    pub shared: Backlog,
    /// The time.
    pub now: Time,
}

/// An active queue management algorithm.
pub trait Aqm {
    /// One queue's memory.
    type State: Default;

    /// May it mark in place of dropping?
    fn ecn(&self) -> bool {
        false
    }

    /// Judges a packet that arrives.
    fn on_enqueue(&mut self, _queue: &mut Self::State, _arrival: &Arrival) -> Verdict {
        Verdict::Pass
    }

    /// Judges a packet that leaves. After a drop the next packet is judged in the same way.
    fn on_dequeue(&mut self, _queue: &mut Self::State, _departure: &Departure) -> Verdict {
        Verdict::Pass
    }

    /// `packets` were dropped from this queue because a limit was reached.
    fn on_overflow(&mut self, _queue: &mut Self::State, _packets: u64, _now: Time) {}

    /// A dequeue found this queue empty.
    fn on_empty(&mut self, _queue: &mut Self::State, _now: Time) {}
}
