//! Counters, which only grow.

use std::ops::Sub;

use results::Drops;

/// The counters of one direction of a link since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that reached the far end.
    pub delivered_packets: u64,
    /// The lengths of delivered packets, with framing.
    pub delivered_bytes: u64,
    /// Packets that left the queue for the wire, which may have lost them since.
    pub departed: u64,
    /// The lengths of departed packets, with framing.
    pub departed_bytes: u64,
    /// The sum of the departed packets' sojourns, in nanoseconds.
    pub waited_nanos: u64,
    /// Packets that were dropped or lost, by cause.
    pub drops: Drops,
    /// Those of the `full` ones that a change of the queue's settings discarded.
    pub discarded: u64,
    /// The lengths of discarded packets, with framing.
    pub discarded_bytes: u64,
    /// Packets that the queue marked.
    pub marks: u64,
    /// Those of them that were marked since they had waited longer than `ce_threshold`.
    pub threshold_marks: u64,
}

impl Sub for Counters {
    type Output = Self;
    /// The counts since `before`.
    fn sub(self, before: Self) -> Self {
        Self {
            delivered_packets: self.delivered_packets - before.delivered_packets,
            delivered_bytes: self.delivered_bytes - before.delivered_bytes,
            departed: self.departed - before.departed,
            departed_bytes: self.departed_bytes - before.departed_bytes,
            waited_nanos: self.waited_nanos - before.waited_nanos,
            drops: Drops {
                full: self.drops.full - before.drops.full,
                aqm: self.drops.aqm - before.drops.aqm,
                loss: self.drops.loss - before.drops.loss,
                ack_filter: self.drops.ack_filter - before.drops.ack_filter,
            },
            discarded: self.discarded - before.discarded,
            discarded_bytes: self.discarded_bytes - before.discarded_bytes,
            marks: self.marks - before.marks,
            threshold_marks: self.threshold_marks - before.threshold_marks,
        }
    }
}
