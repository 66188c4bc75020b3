//! Packets of one size at one rate over UDP, as in one direction of a call.

use std::ops::Range;

use results::{FlowKind, FlowResult};
use units::{Bytes, Rate, Serializer, Time};

use crate::{ActivePeriod, Datagram, Delays, End, delivered::Delivered};

/// Traffic of constant bit rate.
#[derive(Debug)]
pub struct Cbr {
    kind: FlowKind,
    /// The times from one packet to the next, without drift.
    pace: Serializer,
    packet: Bytes,
    active: ActivePeriod,
    next: Time,
    outbox: Option<Datagram>,
    delays: Delays,
    delivered: Delivered,
}

impl Cbr {
    /// Packets with a payload of `packet` at `rate`, which counts payload alone.
    pub(crate) fn new(kind: FlowKind, rate: Rate, packet: Bytes, active: ActivePeriod) -> Self {
        Self {
            kind,
            pace: Serializer::new(rate),
            packet,
            active,
            next: active.start,
            outbox: None,
            delays: Delays::default(),
            delivered: Delivered::NOTHING,
        }
    }

    /// The time of the next packet; `None` if none follows.
    pub fn next_wake(&self) -> Option<Time> {
        (self.next < self.active.stop).then_some(self.next)
    }

    /// Sends a packet, at the time of [`next_wake`](Self::next_wake) or somewhat later.
    pub fn on_time(&mut self, now: Time) {
        self.outbox = Some(Datagram { from: End::Source, sent: now, payload: self.packet });
        self.next += self.pace.span(self.packet);
    }

    /// Takes a packet that has been delivered to the sink, and was sent at `sent`.
    pub fn on_datagram(&mut self, sent: Time, now: Time) {
        self.delivered.add(self.packet.0, now);
        self.delays.record(now.since(sent));
    }

    /// The packet to send now, once after each call of [`on_time`](Self::on_time); `None` if there
    /// is none.
    #[inline]
    pub fn next_datagram(&mut self) -> Option<Datagram> {
        self.outbox.take()
    }

    /// Restarts the statistics, after the warm-up.
    pub fn reset(&mut self) {
        self.delays.reset();
        self.delivered.reset();
    }

    /// The payload of a packet.
    pub fn packet(&self) -> Bytes {
        self.packet
    }

    /// Payload bytes that have been delivered since the beginning.
    pub fn delivered(&self) -> u64 {
        self.delivered.total()
    }

    /// The one-way delays since the statistics began.
    pub fn delays(&self) -> &Delays {
        &self.delays
    }

    /// The result of `during`, the time since the statistics began.
    pub fn result(&self, during: &Range<Time>) -> FlowResult {
        FlowResult {
            kind: self.kind,
            goodput_mbit: self.delivered.goodput_mbit(self.active, false, during),
            delay_ms: Some(self.delays.spread()),
            delivered_bytes: Some(self.delivered.counted()),
            ..FlowResult::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_keep_their_rate_though_each_is_late() {
        let active = ActivePeriod { start: Time::from_millis(5), stop: Time::from_millis(1005) };
        let mut cbr = Cbr::new(FlowKind::Cbr, Rate::from_mbit(1), Bytes(100), active);
        let mut sent = 0;
        while let Some(due) = cbr.next_wake() {
            cbr.on_time(due + units::Span::from_micros(700));
            let datagram = cbr.next_datagram().unwrap();
            assert_eq!((datagram.from, datagram.payload), (End::Source, Bytes(100)));
            assert_eq!(cbr.next_datagram(), None);
            cbr.on_datagram(datagram.sent, datagram.sent + units::Span::from_millis(20));
            sent += 1;
        }
        // 100 bytes at 1 Mbit/s take 0.8 ms.
        assert_eq!((sent, cbr.delivered()), (1_250, 125_000));
        let result = cbr.result(&(Time::ZERO..Time::from_secs(2)));
        assert_eq!(result.delay_ms.unwrap().max, Some(20.0));
    }
}
