//! The way of packets through a world: from a flow through links to a flow.

use qdisc::Packet;
use units::{DirectionId, Time};

use super::World;
use crate::chain;
use crate::direction::Wire;
use crate::hops::{End, Hop};
use crate::observer::Observer;
use crate::packet::SimPacket;

impl World {
    /// Takes the first of the packets in flight that has reached the far end of a chain.
    pub(super) fn deliver(&mut self, chain: usize) {
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
            Hop::End(end) => self.receive(&packet, end, Self::launch),
        }
    }

    /// Gives a packet to an end of its flow, and lets `launch` take what the flow sends then.
    #[inline(always)]
    pub(super) fn receive(
        &mut self,
        packet: &SimPacket,
        end: End,
        launch: impl FnMut(&mut Self, &mut SimPacket, End),
    ) {
        let flow = packet.flow as usize;
        let content = self.store.payloads.take(packet.payload);
        self.flows[flow].receive(packet, &content, end, self.now);
        self.send(flow, launch);
    }

    /// Serves a wire that has become free while packets wait for it.
    pub(super) fn serve(&mut self, at: DirectionId) {
        self.events += 1;
        self.drive(at, |wire, now, observer| wire.serve(now, observer));
    }

    /// Puts a packet into the queue of a direction.
    pub(super) fn offer(&mut self, packet: &mut SimPacket, to: DirectionId) {
        if let Some(capture) = &mut self.capture {
            capture.offered(to, packet, &self.store, &self.hops, self.now);
        }
        if self.directions[to.index()].wire.is_closed_form() {
            let earliest_exit = self.enter(packet, to);
            let chain = self.directions[to.index()].chain;
            return self.agenda.set_at_latest(chain, earliest_exit);
        }
        packet.enter(self.directions[to.index()].framing);
        if let Some(offer_times) = &mut self.offer_times {
            offer_times.note(packet, self.now);
        }
        self.instruments.offered(to, &packet.tag());
        self.drive(to, |wire, now, observer| wire.offer(*packet, now, observer));
    }

    /// Takes a packet at a link in closed form. Returns a time before which the packet does not leave the chain;
    /// `None` if the packet is dropped, or behind another.
    #[inline]
    pub(super) fn enter(&mut self, packet: &mut SimPacket, to: DirectionId) -> Option<Time> {
        let Self { directions, instruments, store, now, ahead, .. } = self;
        let entry = chain::enter(directions, packet, to, (*now, *ahead), instruments, store);
        self.events += entry.events;
        entry.earliest_exit
    }

    /// Runs `action` on a wire, observes its signals, and sets its next deadlines.
    #[inline]
    pub(super) fn drive(
        &mut self,
        at: DirectionId,
        action: impl FnOnce(&mut Wire, Time, &mut Observer<'_>),
    ) {
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

    /// Lets `launch` take each packet that a flow sends now from one of its ends, and sets the flow's timer.
    pub(super) fn send(
        &mut self,
        index: usize,
        mut launch: impl FnMut(&mut Self, &mut SimPacket, End),
    ) {
        let mut left = self.standstill.begin(index);
        let mut packet = SimPacket::of(index as u32);
        while let Some(from) =
            self.flows[index].emit(&mut packet, &mut self.store.payloads, self.now)
        {
            packet.hop = self.hops.first(packet.flow, from);
            launch(self, &mut packet, from);
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

    /// Sends a packet on its way from an end of its flow.
    pub(super) fn launch(&mut self, packet: &mut SimPacket, from: End) {
        if let Some(capture) = &mut self.capture {
            packet.id = capture.next_id(packet.flow, from, self.now);
        }
        match self.first_link(packet) {
            Some(first) => self.offer(packet, first),
            None => self.store.payloads.free(packet.payload),
        }
    }

    /// The first link of a packet that has been sent, whose traffic class is set; `None` if both ends of its flow
    /// are at one node.
    #[inline]
    pub(super) fn first_link(&self, packet: &mut SimPacket) -> Option<DirectionId> {
        let Hop::Direction(first) = self.hops.at(packet.hop) else { return None };
        packet.marking.set_dscp(self.store.dscp(packet.hop));
        Some(first)
    }

    /// Lets a flow act on its timers, if they are due, and `launch` what it sends.
    #[inline(always)]
    pub(super) fn wake(&mut self, flow: usize, launch: impl FnMut(&mut Self, &mut SimPacket, End)) {
        if self.flows[flow].next_wake().is_some_and(|due| due <= self.now) {
            self.events += 1;
            self.flows[flow].wake(self.now);
            self.send(flow, launch);
        }
        self.agenda.set(self.chains.len() + flow, self.flows[flow].next_wake());
    }
}
