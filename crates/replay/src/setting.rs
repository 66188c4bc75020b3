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
    /// The rate of the link behind it.
    pub rate: Rate,
    /// The framing of packets on its wire; the guards of CoDel and PIE use the longest packet.
    pub framing: Framing,
    /// The seed of all randomness.
    pub seed: u64,
}
