//! Figures that may lie apart, and how far.

use std::collections::BTreeMap;

use super::{Departure, packet};

/// How far a figure of our queue may lie from the kernel's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// As a share of the kernel's.
    pub(crate) share: f64,
    /// At least this, in the figure's unit.
    pub(crate) least: f64,
}

/// Bytes that a flow got through an overloaded queue in some seconds. What a flow loses depends on
/// random numbers, and on whether a packet comes some microseconds before or after there is room.
/// Seen were 16 %.
pub(crate) const SENT: Tolerance = Tolerance { share: 0.35, least: 8000.0 };
/// Numbers of drops, of marks, and of what leads to them.
pub(crate) const EVENTS: Tolerance = Tolerance { share: 0.15, least: 5.0 };
/// Moving averages of delays at one instant, in microseconds, of a queue that drops at random. Seen
/// were 25 %.
pub(crate) const DELAY: Tolerance = Tolerance { share: 0.5, least: 5000.0 };
/// The most memory, and the longest packet.
pub(crate) const MEMORY: Tolerance = Tolerance { share: 0.05, least: 0.0 };

impl Tolerance {
    /// Fails if the figures lie further apart.
    pub(crate) fn check(self, name: &str, kernel: f64, ours: f64) {
        let may = (self.share * kernel).max(self.least);
        assert!((kernel - ours).abs() <= may, "{name}: the kernel has {kernel}, we have {ours}");
    }
}

/// The bytes that each flow sent through the queue, by its port.
pub(crate) fn sent_by_flow(
    schedule: &[(u64, Vec<u8>)],
    departures: &[Departure],
) -> BTreeMap<u16, f64> {
    let mut sent = BTreeMap::new();
    for departure in departures {
        let (_, packet) = &schedule[usize::from(departure.id) - 1];
        *sent.entry(packet::port(packet)).or_default() += packet.len() as f64;
    }
    sent
}
