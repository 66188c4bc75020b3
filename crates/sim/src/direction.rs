//! One direction of a link, as the world holds it.

use link::{Departure, Foreseen, Framing, Link, Look};
use meter::{Instruments, LinkState};
use qdisc::{Backlog, Cause, Signals};
use units::{DirectionId, Span, Time};

use crate::observer::Observer;
use crate::packet::SimPacket;
use crate::queue::Queue;
use crate::store::Store;

/// The queue and the wire of a direction.
pub(crate) type Wire = Link<SimPacket, Queue>;

/// One direction of a link.
pub(crate) struct Direction {
    pub(crate) id: DirectionId,
    pub(crate) wire: Wire,
    pub(crate) framing: Framing,
    /// The number of the direction's [`Chain`](crate::chain::Chain).
    pub(crate) chain: usize,
    /// The time that a packet needs at least from the end of this link to the end of the chain.
    pub(crate) rest: Span,
    /// The next link of the chain; `None` for the last.
    pub(crate) next: Option<DirectionId>,
    /// The packets that have left a link in closed form after they waited, and are not counted as
    /// events yet.
    pub(crate) departed: u64,
    /// The number of the direction among those whose departures are events.
    pub(crate) departing: usize,
    /// True if departures are events of the world.
    pub(crate) departs_in_turn: bool,
    /// The packets that have gone onto the wire without a wait, and are not counted yet.
    pub(crate) passed: Backlog,
}

impl Direction {
    /// A direction of an idle link.
    pub(crate) fn new(id: DirectionId, mut wire: Wire, framing: Framing) -> Self {
        let departs_in_turn = wire.delay().is_zero();
        if !departs_in_turn {
            wire.close_form();
        }
        Self {
            wire,
            framing,
            chain: 0,
            id,
            next: None,
            departed: 0,
            departing: 0,
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

    /// Takes a packet that comes now to a link in closed form, and counts what happens to it. Returns the
    /// time at which the packet is delivered; `None` if the queue drops it.
    #[inline(always)]
    pub(crate) fn foresee(
        &mut self,
        packet: &SimPacket,
        now: Time,
        instruments: &mut Instruments,
        store: &mut Store,
    ) -> Option<Time> {
        self.count_departures(now, instruments);
        match self.wire.foresee(packet, now) {
            Foreseen::Passes(delivery) => {
                self.passed += Backlog::of(packet);
                Some(delivery)
            }
            Foreseen::Waits(delivery) => {
                self.count_backlog(now, instruments);
                Some(delivery)
            }
            Foreseen::Overflows => {
                self.count_drop(*packet, now, instruments, store);
                None
            }
        }
    }

    #[inline(never)]
    fn count_backlog(&self, now: Time, instruments: &mut Instruments) {
        instruments.tap(self.id).waits(self.wire.backlog(), now);
    }

    #[cold]
    fn count_drop(
        &self,
        packet: SimPacket,
        now: Time,
        instruments: &mut Instruments,
        store: &mut Store,
    ) {
        let mut observer = Observer { tap: instruments.tap(self.id), store, offer_times: None };
        observer.dropped(packet, Cause::Overflow, now);
        observer.tap.waits(self.wire.backlog(), now);
    }

    /// Counts the packets that have left a link in closed form before now, after they waited.
    #[inline]
    pub(crate) fn count_departures(&mut self, now: Time, instruments: &mut Instruments) {
        if self.wire.has_departures(now) {
            self.take_departures(now, instruments);
        }
    }

    #[inline(never)]
    fn take_departures(&mut self, now: Time, instruments: &mut Instruments) {
        while let Some(Departure { time, sojourn, amount }) = self.wire.take_departure(now) {
            let mut tap = instruments.tap(self.id);
            tap.left(amount, sojourn);
            tap.waits(self.wire.backlog(), time);
            self.departed += 1;
        }
    }

    /// Makes all that happens here an event of its own from now on.
    pub(crate) fn separate(&mut self, now: Time, instruments: &mut Instruments, store: &mut Store) {
        self.departs_in_turn = true;
        self.open_form(now, instruments, store);
    }

    /// Ends the closed form of the link, if it has one.
    pub(crate) fn open_form(
        &mut self,
        now: Time,
        instruments: &mut Instruments,
        store: &mut Store,
    ) {
        self.count_departures(now, instruments);
        let tap = instruments.tap(self.id);
        self.wire.open_form(&mut Observer { tap, store, offer_times: None });
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
        self.state_of(Look {
            new_flow_wait: self.wire.new_flow_wait(now),
            is_busy: self.wire.is_busy(now),
        })
    }

    /// The state of the link at a look of the instruments.
    #[inline]
    pub(crate) fn look(&mut self, now: Time) -> LinkState {
        let look = self.wire.look(now);
        self.state_of(look)
    }

    fn state_of(&self, look: Look) -> LinkState {
        let Look { new_flow_wait, is_busy } = look;
        let new_flow_wait = (!self.wire.queue().hides_waits()).then_some(new_flow_wait);
        LinkState { backlog: self.wire.backlog(), new_flow_wait, is_busy }
    }
}
