//! The counts at one direction of a link.

use units::Time;

use crate::hop_table::Row;
use crate::{Counters, Meter};

/// The counts at one direction of a link, next to each other in memory.
#[derive(Clone, Debug)]
pub(super) struct DirectionCounts {
    /// The meter of all packets.
    pub(super) meter: Meter,
    /// The place of each flow's counts.
    pub(super) row: Row,
}

impl DirectionCounts {
    /// The counts of a direction that is idle at `start`.
    pub(super) fn new(row: Row, start: Time) -> Self {
        Self { meter: Meter::new(start), row }
    }

    /// The counters since the beginning of the run.
    pub(super) const fn counters(&self) -> Counters {
        self.meter.counters()
    }
}
