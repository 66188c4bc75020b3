//! A TCP connection with both its ends, as a flow uses it.

use std::ops::Add;
use std::sync::Arc;

use qdisc::{Ecn, Marking};
use results::FlowResult;
use transport::{Config, Endpoint, Segment};
use units::{Span, Time};
use workload::{Delays, End, Request};

use crate::packet::SimPacket;
use crate::payloads::Payloads;

/// Two endpoints, each with what is known of it without a look at it.
///
/// A packet comes to one endpoint, and the other is not touched: with many flows, access to memory
/// that no cache holds costs more than the work on it.
#[derive(Debug)]
pub(super) struct Connection {
    channel: u16,
    source_turn: Turn,
    sink_turn: Turn,
    sink: Endpoint,
    source: Endpoint,
}

/// What is known of an endpoint after its last poll.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// True if the endpoint may have something to send.
    is_ready: bool,
    /// The time of the endpoint's timer if it has nothing to send; [`Time::MAX`] if none is set.
    due: Time,
}

impl Turn {
    const READY: Self = Self { is_ready: true, due: Time::MAX };

    /// Writes the next segment that `end` sends now. Returns false if there is none.
    #[inline]
    fn poll(&mut self, end: &mut Endpoint, segment: &mut Segment, now: Time) -> bool {
        if !self.is_ready {
            return false;
        }
        let sends = end.poll_into(segment, now);
        if !sends || end.is_quiet() {
            self.pass(end);
        }
        sends
    }

    /// Notes that `end` has received a segment.
    #[inline]
    fn after_segment(&mut self, end: &Endpoint) {
        self.is_ready = true;
        if end.is_quiet() {
            self.pass(end);
        }
    }

    /// Notes that `end` has nothing to send.
    #[inline]
    fn pass(&mut self, end: &Endpoint) {
        let due = end.next_timer().unwrap_or(Time::MAX);
        *self = Self { is_ready: false, due };
    }
}

/// The effect of a delivered segment for the application.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    /// The bytes that the application can read in addition; `None` if the segment has no data.
    pub(super) data: Option<u64>,
    /// True if everything up to the peer's end of data has now been delivered.
    pub(super) is_last: bool,
}

/// The counts of a connection since it was opened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) retransmitted: u64,
    pub(super) timeouts: u64,
}

impl Add for Counts {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            retransmitted: self.retransmitted + other.retransmitted,
            timeouts: self.timeouts + other.timeouts,
        }
    }
}

impl Counts {
    /// Adds the counts since `before` to the result of the application.
    pub(super) fn result(self, before: Self, result: FlowResult) -> FlowResult {
        FlowResult {
            retransmitted_packets: Some(self.retransmitted - before.retransmitted),
            timeouts: Some(self.timeouts - before.timeouts),
            ..result
        }
    }
}

impl Connection {
    /// A connection that `opener` opens now.
    pub(super) fn open(config: &Arc<Config>, opener: End, channel: u16, now: Time) -> Self {
        let (mut source, mut sink) = match opener {
            End::Source => (Endpoint::client(config.clone()), Endpoint::server(config.clone())),
            End::Sink => (Endpoint::server(config.clone()), Endpoint::client(config.clone())),
        };
        match opener {
            End::Source => source.connect(now),
            End::Sink => sink.connect(now),
        }
        Self { channel, source_turn: Turn::READY, sink_turn: Turn::READY, sink, source }
    }

    /// Takes a segment that has been delivered to one end. Returns its effect for the application.
    #[inline]
    pub(super) fn receive(&mut self, segment: &Segment, ecn: Ecn, at: End, now: Time) -> Delivery {
        let (end, turn) = match at {
            End::Source => (&mut self.source, &mut self.source_turn),
            End::Sink => (&mut self.sink, &mut self.sink_turn),
        };
        let (received, was_closed) = (end.received(), end.peer_closed());
        end.on_segment(segment, ecn == Ecn::Ce, now);
        turn.after_segment(end);
        if segment.seq_len() == 0 {
            return Delivery { data: None, is_last: false };
        }
        Delivery {
            data: (segment.len > 0).then(|| end.received() - received),
            is_last: !was_closed && end.peer_closed(),
        }
    }

    /// Moves the latest round trip of the source's segments to `rtt`, if there is a new one.
    #[inline]
    pub(super) fn take_round_trip(&mut self, rtt: &mut Delays) {
        if let Some(sample) = self.source.take_rtt_sample() {
            rtt.record(sample);
        }
    }

    /// Carries out a request of the application to write or to close.
    ///
    /// An end that abandons its data is not polled for that: the peer learns of it from the end's
    /// next packet, or when the end's timer runs out.
    pub(super) fn obey(&mut self, request: Request) {
        match request {
            Request::Write { at, bytes, .. } => self.polled(at).write(bytes),
            Request::Close { at, .. } => self.polled(at).close(),
            Request::Abandon { at: End::Source, .. } => self.source.abandon(),
            Request::Abandon { at: End::Sink, .. } => self.sink.abandon(),
            // The flow opens and drops connections.
            Request::Open { .. } | Request::Drop { .. } => {}
        }
    }

    /// One end, marked for a poll, since it will have something to send.
    fn polled(&mut self, at: End) -> &mut Endpoint {
        let (end, turn) = match at {
            End::Source => (&mut self.source, &mut self.source_turn),
            End::Sink => (&mut self.sink, &mut self.sink_turn),
        };
        turn.is_ready = true;
        end
    }

    /// True if both ends have closed, and each knows that the other has.
    pub(super) fn is_gone(&self) -> bool {
        self.source.is_closed() && self.sink.is_closed()
    }

    /// Runs the timers that are due, and marks both ends for a poll, since the application may have
    /// written.
    pub(super) fn wake(&mut self, now: Time) {
        if self.source_turn.due <= now {
            self.source.on_timer(now);
        }
        if self.sink_turn.due <= now {
            self.sink.on_timer(now);
        }
        self.source_turn.is_ready = true;
        self.sink_turn.is_ready = true;
    }

    /// The time of the earlier timer; [`Time::MAX`] if none is set. Both ends must have nothing to
    /// send.
    #[inline]
    pub(super) fn next_wake(&self) -> Time {
        self.source_turn.due.min(self.sink_turn.due)
    }

    /// Writes the next packet to send now, and returns the end that sends it; `None` if there is none.
    #[inline]
    pub(super) fn emit(
        &mut self,
        packet: &mut SimPacket,
        payloads: &mut Payloads,
        now: Time,
    ) -> Option<End> {
        if self.source_turn.is_ready || self.sink_turn.is_ready {
            self.poll(packet, payloads, now)
        } else {
            None
        }
    }

    #[inline(always)]
    fn poll(&mut self, packet: &mut SimPacket, payloads: &mut Payloads, now: Time) -> Option<End> {
        let mut segment = Segment::EMPTY;
        let from = if self.source_turn.poll(&mut self.source, &mut segment, now) {
            End::Source
        } else if self.sink_turn.poll(&mut self.sink, &mut segment, now) {
            End::Sink
        } else {
            return None;
        };
        payloads.put_segment(&segment, &mut packet.payload);
        packet.channel = self.channel;
        // It fits: a scenario allows packets of 65000 bytes, and headers have less than 100.
        packet.ip_len = segment.ip_len().0 as u16;
        packet.marking = Marking::of(if segment.ect { Ecn::Ect0 } else { Ecn::NotEct });
        Some(from)
    }

    /// The number that distinguishes the connection's packets from those of the flow's other
    /// connections.
    pub(super) fn channel(&self) -> u16 {
        self.channel
    }

    /// The counts up to now.
    pub(super) fn counts(&self) -> Counts {
        let stats = self.source.sent();
        Counts { retransmitted: stats.retransmitted, timeouts: stats.timeouts }
    }

    pub(super) fn srtt(&self) -> Option<Span> {
        self.source.srtt()
    }

    /// The source's congestion window in segments.
    #[inline]
    pub(super) fn cwnd(&self) -> u32 {
        self.source.cwnd()
    }
}
