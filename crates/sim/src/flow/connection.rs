//! A TCP connection with both its ends, as a flow uses it.

use std::ops::Add;
use std::sync::Arc;

use qdisc::Ecn;
use results::FlowResult;
use transport::{Config, Endpoint, Segment};
use units::{Span, Time};
use workload::{Delays, End, Request};

use super::Outgoing;
use crate::payloads::Payload;

/// Two endpoints, each with a flag that it may have something to send.
///
/// A packet comes to one endpoint, and the other is not touched: with many flows, access to memory
/// that no cache holds costs more than the work on it.
#[derive(Debug)]
pub(super) struct Connection {
    channel: u16,
    poll_source: bool,
    poll_sink: bool,
    /// The time of the timer of each end, as after its last poll; `None` if no timer is set.
    source_due: Option<Time>,
    sink_due: Option<Time>,
    sink: Endpoint,
    source: Endpoint,
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
        let (source_due, sink_due) = (None, None);
        Self { channel, poll_source: true, poll_sink: true, source_due, sink_due, sink, source }
    }

    /// Takes a segment that has been delivered to one end. Returns its effect for the application.
    #[inline]
    pub(super) fn receive(&mut self, segment: &Segment, ecn: Ecn, at: End, now: Time) -> Delivery {
        let (end, poll) = match at {
            End::Source => (&mut self.source, &mut self.poll_source),
            End::Sink => (&mut self.sink, &mut self.poll_sink),
        };
        let (received, was_closed) = (end.received(), end.peer_closed());
        end.on_segment(segment, ecn == Ecn::Ce, now);
        *poll = true;
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
        match at {
            End::Source => {
                self.poll_source = true;
                &mut self.source
            }
            End::Sink => {
                self.poll_sink = true;
                &mut self.sink
            }
        }
    }

    /// True if both ends have closed, and each knows that the other has.
    pub(super) fn is_gone(&self) -> bool {
        self.source.is_closed() && self.sink.is_closed()
    }

    /// Runs the timers that are due, and marks both ends for a poll, since the application may have
    /// written.
    pub(super) fn wake(&mut self, now: Time) {
        if self.source.next_timer().is_some_and(|due| due <= now) {
            self.source.on_timer(now);
        }
        if self.sink.next_timer().is_some_and(|due| due <= now) {
            self.sink.on_timer(now);
        }
        self.poll_source = true;
        self.poll_sink = true;
    }

    #[inline]
    pub(super) fn next_wake(&self) -> Option<Time> {
        let source = if self.poll_source { self.source.next_timer() } else { self.source_due };
        let sink = if self.poll_sink { self.sink.next_timer() } else { self.sink_due };
        Time::earliest(source, sink)
    }

    #[inline]
    pub(super) fn emit(&mut self, now: Time) -> Option<Outgoing> {
        loop {
            let (end, from) = match (self.poll_source, self.poll_sink) {
                (true, _) => (&mut self.source, End::Source),
                (false, true) => (&mut self.sink, End::Sink),
                (false, false) => return None,
            };
            if let Some(segment) = end.poll(now) {
                return Some(self.outgoing(segment, from));
            }
            let due = end.next_timer();
            match from {
                End::Source => (self.poll_source, self.source_due) = (false, due),
                End::Sink => (self.poll_sink, self.sink_due) = (false, due),
            }
        }
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

    #[inline]
    fn outgoing(&self, segment: Segment, from: End) -> Outgoing {
        Outgoing {
            from,
            len: segment.ip_len(),
            ecn: if segment.ect { Ecn::Ect0 } else { Ecn::NotEct },
            payload: Payload::Tcp(segment),
            channel: self.channel,
        }
    }
}
