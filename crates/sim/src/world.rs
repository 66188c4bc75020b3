//! The world in virtual time: links, flows, and the loop that moves packets between them.

use std::io;

use meter::{Instruments, LinkState, QueueState};
use qdisc::Packet;
use scenario::{Change, Scenario};
use units::{DirectionId, Time};

use crate::agenda::Agenda;
use crate::capture::Capture;
use crate::chain::{self, Ahead, Chain};
use crate::direction::{Direction, Wire};
use crate::flow::Flow;
use crate::hops::{End, Hop, Hops};
use crate::observer::Observer;
use crate::offer_times::OfferTimes;
use crate::packet::SimPacket;
use crate::queue::Queue;
use crate::standstill::{Standstill, StandstillDetector};
use crate::store::Store;

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

    /// Notes when packets are offered to queues, from now on. To be called before the first packet.
    pub(crate) fn note_offer_times(&mut self) {
        self.store.payloads.store_all();
        self.offer_times.get_or_insert_default();
    }

    /// Makes the agenda of these chains, departing directions, and flows.
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
        let is_done = self.happen(ahead.look);
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
                Slot::Flow(flow) => self.wake(flow),
                Slot::Departure(direction) => self.serve(direction),
            }
        }
        false
    }

    /// Lets the instruments do what is due now. If their statistics begin, those of the flows begin
    /// too.
    pub(crate) fn tick(&mut self) {
        let Self { now, directions, states, chains, flows, instruments, agenda, .. } = self;
        let origin = instruments.looks().origin();
        states.clear();
        states.extend(directions.iter_mut().map(|one| one.look(*now)));
        let gauges = |flow: usize| flows[flow].gauges();
        let next_event = || next_event(*now, directions, (flows, chains.len()), agenda);
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
            self.send(flow);
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

    /// Lets a flow act on its timers, if they are due.
    fn wake(&mut self, flow: usize) {
        if self.flows[flow].next_wake().is_some_and(|due| due <= self.now) {
            self.events += 1;
            self.flows[flow].wake(self.now);
            self.send(flow);
        }
        self.agenda.set(self.chains.len() + flow, self.flows[flow].next_wake());
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

    /// Takes the first of the packets in flight that has reached the far end of a chain.
    fn deliver(&mut self, chain: usize) {
        let at = self.chains[chain].last();
        let direction = &mut self.directions[at.index()];
        let delivered = direction.wire.take_delivery(self.now);
        let mut next = direction.wire.next_delivery();
        if next.is_none() && !direction.departs_in_turn {
            self.catch_up(chain);
            next = self.chains[chain].earliest_delivery(&self.directions);
        }
        self.agenda.set(chain, next);
        let Some(mut packet) = delivered else { return };
        self.events += 1;
        self.instruments.delivered(at, 1, packet.len());
        if let Some(capture) = &mut self.capture {
            capture.delivered(at, &packet, &self.store, &self.hops, self.now);
        }
        packet.hop += 1;
        match self.hops.at(packet.hop) {
            Hop::Direction(next) => self.offer(&mut packet, next),
            Hop::End(end) => {
                let flow = packet.flow as usize;
                let content = self.store.payloads.take(packet.payload);
                self.flows[flow].receive(&packet, &content, end, self.now);
                self.send(flow);
            }
        }
    }

    /// Serves a wire that has become free while packets wait for it.
    fn serve(&mut self, at: DirectionId) {
        self.events += 1;
        self.drive(at, |wire, now, observer| wire.serve(now, observer));
    }

    /// Puts a packet into the queue of a direction.
    fn offer(&mut self, packet: &mut SimPacket, to: DirectionId) {
        if let Some(capture) = &mut self.capture {
            capture.offered(to, packet, &self.store, &self.hops, self.now);
        }
        if self.directions[to.index()].wire.is_closed_form() {
            let Self { directions, instruments, store, now, ahead, .. } = self;
            let entry = chain::enter(directions, packet, to, (*now, *ahead), instruments, store);
            self.events += entry.events;
            let chain = self.directions[to.index()].chain;
            return self.agenda.set_at_latest(chain, entry.earliest_exit);
        }
        packet.enter(self.directions[to.index()].framing);
        if let Some(offer_times) = &mut self.offer_times {
            offer_times.note(packet, self.now);
        }
        self.instruments.offered(to, &packet.tag());
        self.drive(to, |wire, now, observer| wire.offer(*packet, now, observer));
    }

    /// Runs `action` on a wire, observes its signals, and sets its next deadlines.
    #[inline]
    fn drive(&mut self, at: DirectionId, action: impl FnOnce(&mut Wire, Time, &mut Observer<'_>)) {
        let departures = self.chains.len() + self.flows.len();
        let direction = &mut self.directions[at.index()];
        let departure = direction.wire.next_departure();
        let mut observer = Observer {
            tap: self.instruments.tap(at),
            store: &mut self.store,
            offer_times: self.offer_times.as_ref(),
        };
        if !direction.departs_in_turn {
            self.events += direction.serve_before(self.now, &mut observer);
        }
        action(&mut direction.wire, self.now, &mut observer);
        observer.tap.waits(direction.wire.backlog(), self.now);
        if !direction.departs_in_turn {
            return self.agenda.set_at_latest(direction.chain, direction.earliest_exit());
        }
        let wire = &direction.wire;
        self.agenda.set_at_latest(direction.chain, wire.next_delivery());
        if wire.next_departure() != departure {
            self.agenda.set(departures + direction.departing, wire.next_departure());
        }
    }

    /// Sends the packets of a flow, and sets its timer.
    fn send(&mut self, index: usize) {
        let mut left = self.standstill.begin(index);
        let mut packet = SimPacket::of(index as u32);
        while let Some(from) =
            self.flows[index].emit(&mut packet, &mut self.store.payloads, self.now)
        {
            self.launch(&mut packet, from);
            left -= 1;
            if left == 0 {
                self.standstill.mark_endless();
                self.pause_after = self.turns;
                return;
            }
        }
        if let Some(recorder) = self.instruments.flow(index) {
            self.flows[index].note(recorder);
        }
        // A timer that has moved later is looked at when it would have run out.
        self.agenda.set_at_latest(self.chains.len() + index, self.flows[index].next_wake());
    }

    fn launch(&mut self, packet: &mut SimPacket, from: End) {
        packet.hop = self.hops.first(packet.flow, from);
        let Hop::Direction(first) = self.hops.at(packet.hop) else {
            return self.store.payloads.free(packet.payload);
        };
        if let Some(capture) = &mut self.capture {
            packet.id = capture.next_id(packet.flow, from, self.now);
        }
        packet.marking.set_dscp(self.store.dscp(packet.hop));
        self.offer(packet, first);
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
