//! ICMP echo: a request at regular intervals, a reply to each, and the time between the two.

use meter::{ActivePeriod, Gauges};
use results::{FlowKind, FlowResult};
use units::{Bytes, Span, Time};

use super::Outgoing;
use super::delays::Delays;
use crate::hops::End;
use crate::payloads::Payload;

/// IP header and ICMP header (RFC 792).
const HEADERS: Bytes = Bytes(20 + 8);

/// A ping.
#[derive(Debug)]
pub(crate) struct Ping {
    interval: Span,
    len: Bytes,
    life: ActivePeriod,
    next: Time,
    outbox: Option<Outgoing>,
    pub(super) rtt: Delays,
    latest: Option<Span>,
}

impl Ping {
    pub(super) fn new(interval: Span, bytes: Bytes, life: ActivePeriod) -> Self {
        let len = bytes + HEADERS;
        let (next, rtt) = (life.start, Delays::default());
        Self { interval, len, life, next, outbox: None, rtt, latest: None }
    }

    pub(super) fn receive(&mut self, payload: &Payload, at: End, now: Time) {
        let Payload::Datagram { sent } = *payload else { return };
        match at {
            End::Sink => self.outbox = Some(Outgoing::datagram(End::Sink, sent, self.len)),
            End::Source => {
                let rtt = now.since(sent);
                self.latest = Some(rtt);
                self.rtt.record(rtt);
            }
        }
    }

    pub(super) fn wake(&mut self, now: Time) {
        self.outbox = Some(Outgoing::datagram(End::Source, now, self.len));
        self.next += self.interval;
    }

    pub(super) fn next_wake(&self) -> Option<Time> {
        (self.next < self.life.stop).then_some(self.next)
    }

    pub(super) fn emit(&mut self) -> Option<Outgoing> {
        self.outbox.take()
    }

    pub(super) fn reset(&mut self) {
        self.rtt.reset();
    }

    pub(super) fn gauges(&self) -> Gauges {
        Gauges { rtt: self.latest, ..Gauges::default() }
    }

    pub(super) fn result(&self) -> FlowResult {
        FlowResult {
            kind: FlowKind::Ping,
            rtt_ms: Some(self.rtt.spread()),
            ..FlowResult::default()
        }
    }
}
