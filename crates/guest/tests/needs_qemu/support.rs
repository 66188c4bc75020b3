//! What the tests share: packets, the same packets through the kernel's queue and ours, and what
//! came of them.

mod kernel;
mod ours;
mod packet;
mod tolerance;
mod traffic;

pub(crate) use kernel::{Case, Observed, Script, observe};
pub(crate) use ours::{TokenBucket, replay, replay_behind};
pub(crate) use packet::{Address, Udp, identity, traffic_class};
pub(crate) use tolerance::{DELAY, EVENTS, MEMORY, SENT, Tolerance, sent_by_flow};
pub(crate) use traffic::overload;

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
