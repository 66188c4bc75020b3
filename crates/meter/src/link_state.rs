//! The state of a link that is sampled at regular times.

use link::Link;
use qdisc::{Backlog, Packet, Qdisc};
use units::{Span, Time};

/// The state of one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkState {
    /// The packets and bytes in the queue.
    pub backlog: Backlog,
    /// The time that a packet of a new flow would wait; `None` if that is not known.
    pub new_flow_wait: Option<Span>,
    /// True if a packet waits or is being sent.
    pub is_busy: bool,
}

impl LinkState {
    /// The state of a link now.
    #[inline]
    pub fn of<P: Packet, Q: Qdisc<P>>(link: &Link<P, Q>, now: Time) -> Self {
        Self {
            backlog: link.backlog(),
            new_flow_wait: Some(link.new_flow_wait(now)),
            is_busy: link.is_busy(now),
        }
    }
}
