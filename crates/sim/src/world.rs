//! The world in virtual time: links, flows, and the loop that moves packets between them.

use std::io;

use meter::{Instruments, LinkState, QueueState};
use scenario::{Change, Scenario};
use units::{DirectionId, Time};

use crate::agenda::Agenda;
use crate::capture::Capture;
use crate::chain::{Ahead, Chain};
use crate::direction::{Direction, Wire};
use crate::flow::Flow;
use crate::hops::Hops;
use crate::offer_times::OfferTimes;
use crate::queue::Queue;
use crate::standstill::{Standstill, StandstillDetector};
use crate::store::Store;

mod packets;
mod windows;

use windows::Windows;

/// All links and flows of a run, with the instruments at them.
pub(crate) struct World {
    pub(crate) now: Time,
    /// The deliveries, departures and timers so far, also those within chains.
    pub(crate) events: u64,
    /// The turns of the loop so far, and their number after which the run pauses.
    pub(crate) turns: u64,
    pause_after: u64,
    ahead: Ahead,
    pub(crate) directions: Vec<Direction>,
    /// The states of the directions at the last look.
    states: Vec<LinkState>,
    pub(crate) chains: Vec<Chain>,
    /// The directions whose departures are events.
    departing: Vec<DirectionId>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) hops: Hops,
    pub(crate) store: Store,
    pub(crate) instruments: Instruments,
    /// The times at which packets were offered; `None` without a table of fates.
    pub(crate) offer_times: Option<OfferTimes>,
    pub(crate) capture: Option<Box<Capture>>,
    agenda: Agenda,
    /// True if the flows must act in the order of time.
    flows_in_turn: bool,
    /// The windows in which the flows act; `None` if all happens event by event.
    windows: Option<Box<Windows>>,
    standstill: StandstillDetector,
}

/// The parts of a world.
pub(crate) struct Parts {
    pub(crate) directions: Vec<Direction>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) hops: Hops,
    pub(crate) store: Store,
    pub(crate) instruments: Instruments,
}

/// The meaning of a slot of the agenda. At one instant packets are delivered before timers run out,
/// and timers run out before queues are served: a packet that comes to a queue at the instant of a
/// departure joins it first.
enum Slot {
    /// A delivery at the end of a chain.
    Delivery(usize),
    Flow(usize),
    Departure(DirectionId),
}

impl World {
    /// The world at time zero, made of these parts.
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { mut directions, flows, hops, store, instruments } = parts;
        let now = Time::ZERO;
        let standstill = StandstillDetector::new(2 * directions.len() + flows.len());
        let chains = Chain::all(&hops, &mut directions);
        let mut world = Self {
            now,
            events: 0,
            turns: 0,
            pause_after: 0,
            ahead: Ahead { look: now, horizon: now },
            states: Vec::with_capacity(directions.len()),
            directions,
            chains,
            departing: Vec::new(),
            flows,
            hops,
            store,
            instruments,
            offer_times: None,
            capture: None,
            agenda: Agenda::new(0),
            flows_in_turn: false,
            windows: None,
            standstill,
        };
        world.set_looks();
        world.make_agenda();
        world.separate_if_order_matters();
        world
    }

    /// Makes all that happens at links an event of its own, in the order of time, from now on. For
    /// observers that see several links. To be called while the run pauses.
    pub(crate) fn separate_links(&mut self) {
        self.chains = Chain::singles(&mut self.directions);
        for direction in &mut self.directions {
            direction.separate(self.now, &mut self.instruments, &mut self.store);
        }
        self.make_agenda();
    }

    /// Lets the flows act in the order of time from now on. For algorithms of the caller, which may know of each
    /// other. To be called while the run pauses.
    pub(crate) fn separate_flows(&mut self) {
        self.flows_in_turn = true;
        self.make_agenda();
    }

    #[cfg(test)]
    pub(crate) fn has_windows(&self) -> bool {
        self.windows.is_some()
    }

    /// Notes when packets are offered to queues, from now on. To be called before the first packet.
    pub(crate) fn note_offer_times(&mut self) {
        self.store.payloads.store_all();
        self.offer_times.get_or_insert_default();
    }

    /// Makes the agenda of these chains, departing directions, and flows, and the windows if there are any.
    fn make_agenda(&mut self) {
        let departing = self.directions.iter_mut().filter(|direction| direction.departs_in_turn);
        let number = |(number, direction): (usize, &mut Direction)| {
            direction.departing = number;
            direction.id
        };
        self.departing = departing.enumerate().map(number).collect();
        let (chains, flows) = (self.chains.len(), self.flows.len());
        self.agenda = Agenda::with_many(chains, flows, self.departing.len());
        for (slot, chain) in self.chains.iter().enumerate() {
            self.agenda.set(slot, chain.earliest_delivery(&self.directions));
        }
        for (index, flow) in self.flows.iter().enumerate() {
            self.agenda.set(chains + index, flow.next_wake());
        }
        for (index, id) in self.departing.iter().enumerate() {
            let due = self.directions[id.index()].wire.next_departure();
            self.agenda.set(chains + flows + index, due);
        }
        let windows = if self.flows_in_turn { None } else { Windows::of(self) };
        self.windows = windows.map(Box::new);
    }

    /// Separates the links if the order of events at one instant may depend on all of them.
    fn separate_if_order_matters(&mut self) {
        let mut wires = self.directions.iter().map(|direction| &direction.wire);
        if wires.any(Wire::may_deliver_at_departure) {
            self.separate_links();
        }
    }

    /// Runs the events before the next look, but no more than `most` turns of the loop. Returns true if
    /// all are done, so that the clock is at the look.
    ///
    /// # Errors
    /// If the clock stands still.
    pub(crate) fn run_until(&mut self, ahead: Ahead, most: u64) -> Result<bool, Standstill> {
        let (began, before) = (self.now, self.turns);
        self.pause_after = before + most;
        self.ahead = ahead;
        let is_done = match self.windows.take() {
            Some(mut windows) => {
                let is_done = self.happen_in(&mut windows);
                self.windows = Some(windows);
                is_done
            }
            None => self.happen(ahead.look),
        };
        self.standstill.pause(self.now, self.now > began, self.turns - before)?;
        Ok(is_done)
    }

    fn happen(&mut self, end: Time) -> bool {
        while self.turns < self.pause_after {
            let (due, slot) = self.agenda.next();
            if due >= end {
                self.now = end;
                self.settle();
                return true;
            }
            self.now = due;
            self.turns += 1;
            match self.slot(slot) {
                Slot::Delivery(chain) => self.deliver(chain),
                Slot::Flow(flow) => self.wake(flow, Self::launch),
                Slot::Departure(direction) => self.serve(direction),
            }
        }
        false
    }

    /// Lets the instruments do what is due now. If their statistics begin, those of the flows begin
    /// too.
    pub(crate) fn tick(&mut self) {
        let Self { now, directions, states, chains, flows, instruments, agenda, windows, .. } =
            self;
        let origin = instruments.looks().origin();
        states.clear();
        states.extend(directions.iter_mut().map(|one| one.look(*now)));
        let gauges = |flow: usize| flows[flow].gauges();
        let is_ahead = windows.as_ref().is_some_and(|windows| windows.has_passed(*now));
        let next_event = || match is_ahead {
            true => *now,
            false => next_event(*now, directions, (flows, chains.len()), agenda),
        };
        if instruments.tick(*now, next_event, states, gauges) {
            flows.iter_mut().for_each(Flow::reset);
        }
        if instruments.looks().origin() != origin {
            self.set_looks();
        }
    }

    /// Tells the links when the instruments will look at them.
    fn set_looks(&mut self) {
        let looks = self.instruments.looks();
        self.directions.iter_mut().for_each(|direction| direction.wire.set_looks(*looks));
    }

    /// Changes a direction as `tc qdisc change` does. Packets of the same instant come or go after
    /// the change.
    ///
    /// # Panics
    /// If the queue refuses the change, which a checked scenario does not ask for.
    #[cold]
    #[inline(never)]
    pub(crate) fn change(&mut self, change: &Change, spec: &scenario::Direction) {
        let like =
            change.queue.as_ref().map(|settings| Queue::Listed(spec.changed_queue(settings)));
        let direction = &mut self.directions[change.direction.index()];
        direction.open_form(self.now, &mut self.instruments, &mut self.store);
        self.drive(change.direction, |wire, now, observer| {
            if let Some(like) = like {
                let changed = wire.change_queue(like, now, observer);
                changed.expect("a checked scenario changes what can change");
            }
            if let Some(rate) = change.rate {
                wire.change_rate(rate, now);
            }
        });
        self.separate_if_order_matters();
    }

    /// Sends a request of a ping now. A flow of another kind sends nothing.
    #[cold]
    #[inline(never)]
    pub(crate) fn ping(&mut self, flow: usize) {
        if let Some(Flow::Ping(ping)) = self.flows.get_mut(flow) {
            ping.on_time(self.now);
            self.send(flow, Self::launch);
        }
    }

    /// Writes the rest of all outputs.
    pub(crate) fn finish_files(&mut self) -> io::Result<()> {
        self.instruments.finish_tables()?;
        self.capture.take().map_or(Ok(()), |capture| capture.finish())
    }

    /// The state of each queue of the scenario now.
    pub(crate) fn queues(&mut self, scenario: &Scenario) -> Vec<QueueState> {
        for direction in &mut self.directions {
            direction.open_form(self.now, &mut self.instruments, &mut self.store);
        }
        let state = |(index, direction): (usize, &Direction)| {
            let id = DirectionId::from_index(index);
            let spec = scenario.queue_at(id, self.now.since(Time::ZERO));
            let queue = direction.wire.queue().listed()?;
            Some(self.instruments.queue_state(id, spec, queue, self.now))
        };
        self.directions.iter().enumerate().filter_map(state).collect()
    }

    fn slot(&self, slot: usize) -> Slot {
        let (chains, flows) = (self.chains.len(), self.flows.len());
        if slot < chains {
            Slot::Delivery(slot)
        } else if slot < chains + flows {
            Slot::Flow(slot - chains)
        } else {
            Slot::Departure(self.departing[slot - chains - flows])
        }
    }

    /// Catches up with what has happened in a chain and is not told by the agenda, and with what
    /// will happen there before somebody can look at it.
    fn catch_up(&mut self, chain: usize) {
        let Self { chains, directions, instruments, store, now, ahead, .. } = self;
        self.events += chains[chain].catch_up(directions, instruments, store, (*now, *ahead));
    }

    /// Brings the links up to this time, so that somebody can look at them; and what is counted there,
    /// if somebody can look at that, too.
    fn settle(&mut self) {
        (0..self.chains.len()).for_each(|chain| self.catch_up(chain));
        if self.now < self.ahead.horizon {
            return;
        }
        for (index, direction) in self.directions.iter_mut().enumerate() {
            direction.count_departures(self.now, &mut self.instruments);
            self.events += std::mem::take(&mut direction.departed);
            let passed = std::mem::take(&mut direction.passed);
            if passed.packets > 0 {
                let mut tap = self.instruments.tap(DirectionId::from_index(index));
                tap.passed(passed.packets, passed.bytes);
            }
        }
    }
}

/// The time of the next event at a link, also within a chain, or at a flow.
fn next_event(
    now: Time,
    directions: &[Direction],
    (flows, chains): (&[Flow], usize),
    agenda: &mut Agenda,
) -> Time {
    // The deadline of a flow may have moved later.
    let next_of_flows = loop {
        let (due, slot) = agenda.next_of_many();
        let actual = flows.get(slot - chains).and_then(Flow::next_wake);
        if due == Time::MAX || actual == Some(due) {
            break due;
        }
        agenda.set(slot, actual);
    };
    let next = directions.iter().filter_map(|direction| direction.wire.next_event(now));
    next.min().map_or(next_of_flows, |time| time.min(next_of_flows))
}
