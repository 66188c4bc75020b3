//! What the tests share: packets, the same packets through the kernel's queue and ours, and what
//! came of them.

mod kernel;
mod ours;
mod packet;
mod same_order;
mod tolerance;
mod traffic;

pub(crate) use kernel::{Case, Change, Observed, Script, observe};
pub(crate) use ours::{Outcome, TokenBucket, replay, replay_behind, replay_with_key};
pub(crate) use packet::{Address, Fields, Udp, Version};
pub(crate) use same_order::{PLACES, key_of_same_order};
pub(crate) use tolerance::{
    DELAY, EVENTS, MEMORY, SENT, TIME, Tolerance, median_sojourns, sent_by_flow,
};
pub(crate) use traffic::overload;

/// The keys of ours, and the seeds of microseconds, with which a figure that depends on chance is
/// compared.
pub(crate) const KEYS: std::ops::RangeInclusive<u64> = 1..=16;

/// A packet that left a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    /// The time, in nanoseconds of the guest's clock.
    pub(crate) nanos: u64,
    /// Which packet of the schedule it is: its identification in the IP header.
    pub(crate) id: u16,
    /// The byte of the IP header that holds DSCP and ECN field.
    pub(crate) traffic_class: u8,
}

/// The identities of packets in the order in which they left.
pub(crate) fn order(departures: &[Departure]) -> Vec<u16> {
    departures.iter().map(|departure| departure.id).collect()
}
