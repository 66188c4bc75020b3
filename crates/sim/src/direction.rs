//! One direction of a link, as the world holds it.

use link::{Framing, Link};
use meter::LinkState;
use qdisc::Backlog;
use units::{DirectionId, Span, Time};

use crate::observer::Observer;
use crate::packet::SimPacket;
use crate::queue::Queue;

/// The queue and the wire of a direction.
pub(crate) type Wire = Link<SimPacket, Queue>;

/// One direction of a link.
pub(crate) struct Direction {
    pub(crate) wire: Wire,
    pub(crate) framing: Framing,
    /// The number of the direction's [`Chain`](crate::chain::Chain).
    pub(crate) chain: usize,
    /// The last link of the chain.
    pub(crate) exit: DirectionId,
    /// The time that a packet needs at least from the end of this link to the end of the chain.
    pub(crate) rest: Span,
    /// True if departures are events of the world.
    pub(crate) departs_in_turn: bool,
    /// The packets that have gone onto the wire without a wait, and are not counted yet.
    pub(crate) passed: Backlog,
}

impl Direction {
    /// A direction of an idle link.
    pub(crate) fn new(wire: Wire, framing: Framing) -> Self {
        let departs_in_turn = wire.delay().is_zero();
        Self {
            wire,
            framing,
            chain: 0,
            exit: DirectionId::from_index(0),
            rest: Span::ZERO,
            // Without a delay, a packet may arrive at the instant at which it departs.
            departs_in_turn,
            passed: Backlog::default(),
        }
    }

    /// A time before which no packet of this link leaves the chain; `None` if there is no packet.
    #[inline]
    pub(crate) fn earliest_exit(&self) -> Option<Time> {
        Some(self.wire.earliest_delivery()? + self.rest)
    }

    /// Sends a packet at once, if nothing else can happen to it.
    ///
    /// # Errors
    /// The packet, which is then to be offered to the wire.
    #[inline]
    pub(crate) fn pass(&mut self, packet: SimPacket, now: Time) -> Result<(), SimPacket> {
        self.wire.pass(packet, now)?;
        self.passed += Backlog::of(&packet);
        Ok(())
    }

    /// Lets the packets leave that leave before `until`, while no other packet comes. Returns the
    /// number of events.
    #[inline]
    pub(crate) fn serve_before(&mut self, until: Time, observer: &mut Observer<'_>) -> u64 {
        let mut events = 0;
        while let Some(due) = self.wire.next_departure().filter(|due| *due < until) {
            self.wire.serve(due, observer);
            observer.tap.waits(self.wire.backlog(), due);
            events += 1;
        }
        events
    }

    /// The state of the link now.
    pub(crate) fn state(&self, now: Time) -> LinkState {
        let state = LinkState::of(&self.wire, now);
        let new_flow_wait = state.new_flow_wait.filter(|_| !self.wire.queue().hides_waits());
        LinkState { new_flow_wait, ..state }
    }
}
