//! The queue and the link of a replay.

use qdisc::QdiscSpec;
use units::Rate;

use crate::Framing;

/// The queue and the link that the arrivals meet.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The name of the arrivals.
    pub name: String,
    /// The queue.
    pub queue: QdiscSpec,
    /// The rate of the link behind the queue.
    pub rate: Rate,
    /// The framing of packets on the link's wire. The longest packet is that of CoDel's and PIE's
    /// guards.
    pub framing: Framing,
    /// The seed of all randomness.
    pub seed: u64,
}
