//! The current state of each flow, for other threads.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use units::Span;

/// The current state of a flow.
#[derive(Debug, Default)]
pub(crate) struct FlowGauges {
    /// Congestion window in segments; 0 if there is none.
    pub(crate) cwnd: AtomicU32,
    /// The latest round trip in nanoseconds, smoothed for TCP; 0 before the first.
    pub(crate) rtt: AtomicU64,
    /// The number of round trips that have been measured.
    pub(crate) round_trips: AtomicU64,
    /// Application bytes delivered since the beginning.
    pub(crate) delivered: AtomicU64,
}

impl FlowGauges {
    /// Publishes a new round trip.
    pub(super) fn show_round_trip(&self, rtt: Span) {
        self.rtt.store(rtt.as_nanos(), Ordering::Relaxed);
        self.round_trips.fetch_add(1, Ordering::Relaxed);
    }

    /// Publishes the application bytes delivered since the beginning.
    pub(super) fn show_delivered(&self, bytes: u64) {
        self.delivered.store(bytes, Ordering::Relaxed);
    }
}

/// The gauges of one flow, among those of all.
#[derive(Clone, Debug)]
pub(super) struct OwnGauges {
    pub(super) all: Arc<[FlowGauges]>,
    /// The index of the flow.
    pub(super) flow: usize,
}

impl Deref for OwnGauges {
    type Target = FlowGauges;
    fn deref(&self) -> &FlowGauges {
        &self.all[self.flow]
    }
}
