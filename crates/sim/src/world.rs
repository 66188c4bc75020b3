//! The world in virtual time: links, flows, and the loop that moves packets between them.

use std::io;

use link::Link;
use meter::{Counters, FateRecorder, Meter, Others, Sample, SeriesRecorder, Timekeeper};
use qdisc::{AnyQdisc, Marking};
use results::Timeline;
use units::{DirectionId, Span, Time};

use crate::Writer;
use crate::agenda::Agenda;
use crate::capture::Capture;
use crate::fates::Fates;
use crate::flow::{Flow, Outgoing};
use crate::hops::{Hop, Hops};
use crate::observer::Observer;
use crate::packet::SimPacket;
use crate::standstill::{Standstill, Stillness};
use crate::store::Store;

pub(crate) type Wire = Link<SimPacket, AnyQdisc<SimPacket>>;

/// All links and flows of a run, with their counts and outputs.
pub(crate) struct World {
    pub(crate) now: Time,
    pub(crate) events: u64,
    /// The number of events after which the run pauses.
    pause_after: u64,
    pub(crate) directions: Vec<Direction>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) hops: Hops,
    pub(crate) store: Store,
    fates: Option<Fates>,
    pub(crate) capture: Option<Box<Capture>>,
    pub(crate) series: Option<SeriesRecorder<Writer>>,
    pub(crate) timeline: Option<Timekeeper>,
    pub(crate) others: Others,
    agenda: Agenda,
    stillness: Stillness,
}

/// The parts of a world.
pub(crate) struct Parts {
    pub(crate) directions: Vec<Direction>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) hops: Hops,
    pub(crate) store: Store,
}

/// One direction of a link, with its meter.
pub(crate) struct Direction {
    pub(crate) wire: Wire,
    pub(crate) meter: Meter,
    /// Bytes that the wire adds to an IP packet.
    pub(crate) overhead: u32,
}

/// The meaning of a slot of the agenda. At one instant packets arrive before timers run out, and
/// timers run out before queues are served: an arrival at the instant of a departure is taken
/// first.
enum Slot {
    Arrival(usize),
    Flow(usize),
    Departure(usize),
}

impl World {
    /// The world at time zero.
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { directions, flows, hops, store } = parts;
        let mut agenda = Agenda::with_many(directions.len(), flows.len(), directions.len());
        for (index, flow) in flows.iter().enumerate() {
            agenda.set(directions.len() + index, flow.next_wake());
        }
        let (now, events) = (Time::ZERO, 0);
        let stillness = Stillness::of(2 * directions.len() + flows.len());
        Self {
            now,
            events,
            pause_after: 0,
            others: Others::new(directions.len(), now),
            directions,
            flows,
            hops,
            store,
            fates: None,
            capture: None,
            series: None,
            timeline: None,
            agenda,
            stillness,
        }
    }

    /// Runs the events before `end`, but no more than `most_events`. True if all are done, so that
    /// the clock is at `end`.
    ///
    /// # Errors
    /// If the clock stands still.
    pub(crate) fn run_until(&mut self, end: Time, most_events: u64) -> Result<bool, Standstill> {
        let (began, before) = (self.now, self.events);
        self.pause_after = before + most_events;
        let arrived = self.happen(end);
        self.stillness.pause(self.now, self.now > began, self.events - before)?;
        Ok(arrived)
    }

    fn happen(&mut self, end: Time) -> bool {
        while self.events < self.pause_after {
            let (due, slot) = self.agenda.next();
            if due >= end {
                self.now = end;
                return true;
            }
            self.now = due;
            self.events += 1;
            match self.slot(slot) {
                Slot::Arrival(direction) => self.arrive(direction),
                Slot::Flow(flow) => {
                    self.flows[flow].wake(due);
                    self.send(flow);
                }
                Slot::Departure(direction) => self.serve(direction),
            }
        }
        false
    }

    /// The warm-up is over: statistics begin now.
    pub(crate) fn reset(&mut self) {
        let now = self.now;
        self.directions.iter_mut().for_each(|direction| direction.meter.reset(now));
        self.flows.iter_mut().for_each(Flow::reset);
        self.hops.reset();
        self.others.restart(now);
    }

    /// Writes the fates of all packets from now on.
    pub(crate) fn record_fates(&mut self, recorder: FateRecorder<Writer>) {
        self.fates = Some(Fates::new(recorder));
    }

    /// Writes the rest of all outputs.
    pub(crate) fn finish_records(&mut self) -> io::Result<()> {
        self.fates.take().map_or(Ok(()), Fates::finish)?;
        self.capture.take().map_or(Ok(()), |capture| capture.finish())?;
        self.series.take().map_or(Ok(()), |series| series.finish().map(drop))
    }

    /// Adds a row to the series and returns the time to the next one; `None` without a series.
    pub(crate) fn sample(&mut self) -> Option<Span> {
        let series = self.series.as_mut()?;
        let directions = self.directions.iter();
        let directions = directions.map(|one| (one.wire.backlog(), one.meter.counters()));
        series.sample(self.now, directions, self.flows.iter().map(Flow::gauges));
        Some(series.step())
    }

    /// Samples how long others would wait in each direction, and skips time without events.
    pub(crate) fn look(&mut self) {
        let now = self.now;
        let sample = |one: &Direction| Sample {
            wait: one.wire.new_flow_wait(now),
            is_busy: one.wire.is_busy(now),
        };
        self.others.look(self.directions.iter().map(sample));
        let (next, _) = self.agenda.next();
        if next > self.others.due() && !self.directions.iter().any(|one| one.wire.is_busy(now)) {
            self.others.rest(next);
        }
    }

    /// The time at which the step of the timeline ends; `Time::MAX` without a timeline.
    pub(crate) fn step_ends(&self) -> Time {
        self.timeline.as_ref().map_or(Time::MAX, Timekeeper::step_ends)
    }

    /// Ends the step of the timeline, if it ends now.
    pub(crate) fn end_step(&mut self) {
        if let Some(timeline) = &mut self.timeline {
            let delivered = |flow: usize| self.flows[flow].delivered();
            timeline.advance(self.now, counters(&self.directions), delivered);
        }
    }

    /// The complete timeline; `None` if there is none.
    pub(crate) fn finish_timeline(&mut self) -> Option<Timeline> {
        let timeline = self.timeline.take()?;
        let delivered = |flow: usize| self.flows[flow].delivered();
        Some(timeline.finish(self.now, counters(&self.directions), delivered))
    }

    fn slot(&self, slot: usize) -> Slot {
        let (directions, flows) = (self.directions.len(), self.flows.len());
        if slot < directions {
            Slot::Arrival(slot)
        } else if slot < directions + flows {
            Slot::Flow(slot - directions)
        } else {
            Slot::Departure(slot - directions - flows)
        }
    }

    /// Takes the first of a wire's packets in flight, which has reached the far end.
    fn arrive(&mut self, index: usize) {
        let direction = &mut self.directions[index];
        let arrival = direction.wire.take_arrival(self.now);
        self.agenda.set(index, direction.wire.next_arrival());
        let Some(mut packet) = arrival else { return };
        direction.meter.arrived(&packet);
        packet.len -= direction.overhead;
        if let Some(capture) = &mut self.capture {
            capture.arrived(
                DirectionId::from_index(index),
                &packet,
                (&self.store.payloads, &self.hops),
                self.now,
            );
        }
        packet.hop += 1;
        match self.hops.at(packet.hop) {
            Hop::Direction(next) => self.offer(packet, next.index()),
            Hop::End(end) => {
                let flow = packet.flow as usize;
                let payload = self.store.payloads.take(packet.payload);
                self.flows[flow].receive(&packet, &payload, end, self.now);
                self.send(flow);
            }
        }
    }

    /// Serves a wire that has become free while packets wait for it.
    fn serve(&mut self, index: usize) {
        self.drive(index, |wire, now, observer| wire.serve(now, observer));
    }

    /// Puts a packet into the queue of a direction; its length is that of the IP packet.
    fn offer(&mut self, mut packet: SimPacket, index: usize) {
        if let Some(capture) = &mut self.capture {
            capture.offered(
                DirectionId::from_index(index),
                &packet,
                (&self.store.payloads, &self.hops),
                self.now,
            );
        }
        packet.enter(self.directions[index].overhead);
        if let Some(fates) = &mut self.fates {
            fates.offer(&packet, self.now);
        }
        self.hops.offer(&packet);
        self.drive(index, |wire, now, observer| wire.offer(packet, now, observer));
    }

    /// Runs `action` on a wire, observes its signals, and sets its next deadlines.
    #[inline]
    fn drive(&mut self, index: usize, action: impl FnOnce(&mut Wire, Time, &mut Observer<'_>)) {
        let Direction { wire, meter, .. } = &mut self.directions[index];
        let (was_empty, departure) = (wire.next_arrival().is_none(), wire.next_departure());
        let mut observer = Observer {
            meter,
            hops: &mut self.hops,
            store: &mut self.store,
            timeline: self.timeline.as_mut().map(|timeline| timeline.direction(index)),
            fates: self.fates.as_mut(),
        };
        action(wire, self.now, &mut observer);
        meter.waits(wire.backlog(), self.now);
        if let Some(timeline) = &mut self.timeline {
            timeline.direction(index).waits(wire.backlog().packets);
        }
        // A packet that is sent now arrives after all that were sent before.
        if was_empty {
            self.agenda.set(index, wire.next_arrival());
        }
        if wire.next_departure() != departure {
            let slot = self.directions.len() + self.flows.len() + index;
            self.agenda.set(slot, self.directions[index].wire.next_departure());
        }
    }

    /// Sends the packets of a flow, and sets its timer.
    fn send(&mut self, index: usize) {
        let mut left = self.stillness.begin(index);
        while let Some(outgoing) = self.flows[index].emit(self.now) {
            self.launch(index as u32, &outgoing);
            left -= 1;
            if left == 0 {
                self.stillness.is_endless();
                self.pause_after = self.events;
                return;
            }
        }
        if let Some(recorder) = self.timeline.as_mut().and_then(|timeline| timeline.flow(index)) {
            self.flows[index].note(recorder);
        }
        self.agenda.set(self.directions.len() + index, self.flows[index].next_wake());
    }

    fn launch(&mut self, flow: u32, outgoing: &Outgoing) {
        let hop = self.hops.first(flow, outgoing.from);
        let Hop::Direction(first) = self.hops.at(hop) else { return };
        let id = self.capture.as_mut().map_or(0, |capture| capture.next_id(flow, outgoing.from));
        let packet = SimPacket {
            len: outgoing.len.0 as u32,
            hop,
            flow,
            payload: self.store.payloads.put(outgoing.payload, outgoing.from),
            channel: outgoing.channel,
            id,
            marking: Marking::of(outgoing.ecn),
        };
        self.offer(packet, first.index());
    }
}

/// The counters of each direction.
fn counters(directions: &[Direction]) -> impl Iterator<Item = Counters> {
    directions.iter().map(|direction| direction.meter.counters())
}
