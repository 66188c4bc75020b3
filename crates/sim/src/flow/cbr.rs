//! Packets of one size at one rate over UDP, as in one direction of a call.

use meter::{ActivePeriod, Gauges};
use results::{FlowKind, FlowResult};
use units::{Bytes, Rate, Serializer, Time};

use super::Outgoing;
use super::delays::Delays;
use crate::hops::End;
use crate::payloads::Payload;

/// IP header and UDP header (RFC 768).
const HEADERS: Bytes = Bytes(20 + 8);

/// A flow of constant bit rate.
#[derive(Debug)]
pub(crate) struct Cbr {
    kind: FlowKind,
    /// Gives the time from one packet to the next, without drift.
    pace: Serializer,
    packet: Bytes,
    life: ActivePeriod,
    next: Time,
    outbox: Option<Outgoing>,
    pub(super) delay: Delays,
    pub(super) received: u64,
    received_before: u64,
    /// The time at which the last packet arrived.
    last: Time,
}

impl Cbr {
    pub(super) fn new(kind: FlowKind, rate: Rate, packet: Bytes, life: ActivePeriod) -> Self {
        Self {
            kind,
            pace: Serializer::new(rate),
            packet,
            life,
            next: life.start,
            outbox: None,
            delay: Delays::default(),
            received: 0,
            received_before: 0,
            last: Time::ZERO,
        }
    }

    pub(super) fn receive(&mut self, payload: &Payload, now: Time) {
        let Payload::Datagram { sent } = *payload else { return };
        self.received += self.packet.0;
        self.last = now;
        self.delay.record(now.since(sent));
    }

    pub(super) fn wake(&mut self, now: Time) {
        self.outbox = Some(Outgoing::datagram(End::Source, now, self.packet + HEADERS));
        self.next += self.pace.span(self.packet);
    }

    pub(super) fn next_wake(&self) -> Option<Time> {
        (self.next < self.life.stop).then_some(self.next)
    }

    pub(super) fn emit(&mut self) -> Option<Outgoing> {
        self.outbox.take()
    }

    pub(super) fn reset(&mut self) {
        self.delay.reset();
        self.received_before = self.received;
    }

    pub(super) fn gauges(&self) -> Gauges {
        Gauges { delivered: self.received, ..Gauges::default() }
    }

    pub(super) fn result(&self, from: Time, now: Time) -> FlowResult {
        let delivered = self.received - self.received_before;
        FlowResult {
            kind: self.kind,
            goodput_mbit: self.life.mbit(delivered, self.last, false, (from, now)),
            delay_ms: Some(self.delay.spread()),
            delivered_bytes: Some(delivered),
            ..FlowResult::default()
        }
    }
}
