//! Figures that may lie apart, and how far.

use std::collections::BTreeMap;

use super::{Departure, Fields};

/// How far a figure of the kernel's queue may lie from those that ours has with several keys. So
/// the effect of random numbers, and of microseconds, is not in a tolerance, but measured each time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// As a share of the kernel's.
    pub(crate) share: f64,
    /// At least this, in the figure's unit.
    pub(crate) least: f64,
}

/// Bytes that a flow got through an overloaded queue in some seconds.
pub(crate) const SENT: Tolerance = Tolerance { share: 0.1, least: 4000.0 };
/// Numbers of drops, of marks, and of what leads to them.
pub(crate) const EVENTS: Tolerance = Tolerance { share: 0.15, least: 5.0 };
/// Median sojourns in an overloaded queue, in microseconds.
pub(crate) const DELAY: Tolerance = Tolerance { share: 0.2, least: 2000.0 };
/// Moving averages of delays in a queue that drops nothing, in microseconds.
pub(crate) const TIME: Tolerance = Tolerance { share: 0.0, least: 50.0 };
/// The most memory, and the longest packet.
pub(crate) const MEMORY: Tolerance = Tolerance { share: 0.05, least: 0.0 };

/// How much further from the median of ours chance may lead than it led ours. The kernel's figure is
/// one more draw: it lies outside the range of n of ours with two in n + 1. Twice as far comes one draw
/// in the square of n where draws become rarer exponentially, which is one in 65,000 with 256 keys.
/// What many packets add up to becomes rarer much faster, so that 16 keys and a tolerance do.
const REACH: f64 = 2.0;

impl Tolerance {
    /// Fails if the kernel's figure lies further from those of ours than chance and this allow.
    pub(crate) fn check(self, name: &str, kernel: f64, ours: impl IntoIterator<Item = f64>) {
        let may = (self.share * kernel).max(self.least);
        let mut ours: Vec<_> = ours.into_iter().collect();
        ours.sort_by(f64::total_cmp);
        let [least, median, most] = [0, ours.len() / 2, ours.len() - 1].map(|place| ours[place]);
        let [lowest, highest] = [least, most].map(|end| median + REACH * (end - median));
        let is_near = (lowest - may..=highest + may).contains(&kernel);
        assert!(is_near, "{name}: the kernel has {kernel}, we have {least} to {most}");
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
        *sent.entry(Fields(packet).port()).or_default() += packet.len() as f64;
    }
    sent
}

/// The median of the sojourns of each flow's packets, in microseconds, by the flow's port.
pub(crate) fn median_sojourns(
    arrivals: &[(u64, Vec<u8>)],
    departures: &[Departure],
) -> BTreeMap<u16, f64> {
    let mut sojourns: BTreeMap<u16, Vec<u64>> = BTreeMap::new();
    for departure in departures {
        let (arrived, packet) = &arrivals[usize::from(departure.id) - 1];
        sojourns.entry(Fields(packet).port()).or_default().push(departure.nanos - arrived);
    }
    let median = |mut sojourns: Vec<u64>| {
        sojourns.sort_unstable();
        sojourns[sojourns.len() / 2] as f64 / 1000.0
    };
    sojourns.into_iter().map(|(port, sojourns)| (port, median(sojourns))).collect()
}
