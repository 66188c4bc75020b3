//! The packets of a queue during a short time, one by one.

use units::{Bytes, Time};

/// A stretch of a run, with the packets that were in one queue during it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueWindow {
    /// The beginning.
    pub from: Time,
    /// The end, exclusive.
    pub to: Time,
    /// The packets, in the order in which they left the queue.
    pub stays: Vec<Stay>,
}

/// A packet's stay in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The number of its flow, in the order of the document's flows.
    pub flow: u32,
    /// Its length.
    pub bytes: Bytes,
    /// The time at which it was offered to the queue.
    pub offered: Time,
    /// The time at which it left the queue.
    pub left: Time,
    /// True if the queue dropped it.
    pub is_dropped: bool,
}
