//! One TCP connection and the application that writes to it: bulk, transfer and periodic traffic.

use std::collections::VecDeque;
use std::sync::Arc;

use meter::{ActivePeriod, Gauges};
use qdisc::Packet;
use results::{Completion, FlowKind, FlowResult};
use scenario::{Recurrence, Tcp, Traffic};
use stats::Histogram;
use transport::Config;
use units::{Bytes, Rng, Serializer, Span, Time};

use super::Outgoing;
use super::connection::{Connection, Counts};
use super::delays::Delays;
use crate::hops::End;
use crate::packet::SimPacket;
use crate::payloads::Payload;

/// A flow over one connection.
#[derive(Debug)]
pub(crate) struct TcpFlow {
    kind: FlowKind,
    config: Arc<Config>,
    life: ActivePeriod,
    application: Application,
    /// `None` before the start.
    connection: Option<Connection>,
    /// `None` if the flow has no end.
    batches: Option<Box<Batches>>,
    pub(super) rtt: Delays,
    /// The counts when the statistics began.
    before: Counts,
    /// The time at which data last arrived.
    last: Time,
}

/// The batches of work, pending and complete.
#[derive(Debug, Default)]
struct Batches {
    /// Batches that have not fully arrived: the stream position at which each ends, and its start.
    pending: VecDeque<(u64, Time)>,
    completions: Histogram,
}

/// The application: the data that it has to send, and the rate at which it writes.
#[derive(Debug)]
struct Application {
    /// The size of each batch of work; `None` for data without end.
    batch: Option<Bytes>,
    /// The time to the next batch; `None` if there is only one, after which the application closes.
    recurrence: Option<Recurrence>,
    next_batch: Option<Time>,
    /// The randomness of idle times.
    rng: Rng,
    /// Bytes that are sent first; `None` once they are written.
    greeting: Option<Bytes>,
    /// The length of the greeting until it is answered; nothing else is written before.
    unanswered: Option<u64>,
    /// The time from one write to the next; `None` if the application writes all data at once.
    pace: Option<Serializer>,
    next_write: Option<Time>,
    /// Bytes of the batches so far that are not yet written.
    unwritten: u64,
    /// Bytes of all batches so far.
    total: u64,
    /// True if the application writes no more.
    stopped: bool,
}

impl TcpFlow {
    pub(super) fn new(
        traffic: &Traffic,
        tcp: &Tcp,
        config: Arc<Config>,
        life: ActivePeriod,
        rng: Rng,
    ) -> Self {
        let (kind, batch, recurrence) = match traffic {
            Traffic::Periodic { bytes, next } => (FlowKind::Periodic, Some(*bytes), Some(*next)),
            Traffic::Transfer { bytes } => (FlowKind::Transfer, Some(*bytes), None),
            Traffic::Bulk { bytes } => (FlowKind::Bulk, *bytes, None),
            _ => unreachable!("not traffic over one connection"),
        };
        Self {
            kind,
            config,
            life,
            application: Application {
                batch,
                recurrence,
                next_batch: Some(life.start),
                rng,
                greeting: tcp.greeting,
                unanswered: None,
                pace: tcp.application_rate.map(Serializer::new),
                next_write: None,
                unwritten: 0,
                total: 0,
                stopped: false,
            },
            connection: None,
            batches: batch.map(|_| Box::default()),
            rtt: Delays::default(),
            before: Counts::default(),
            last: Time::ZERO,
        }
    }

    #[inline]
    pub(super) fn receive(&mut self, packet: &SimPacket, payload: &Payload, at: End, now: Time) {
        let (Payload::Tcp(segment), Some(connection)) = (payload, &mut self.connection) else {
            return;
        };
        connection.receive(segment, packet.ecn(), at, now, &mut self.rtt);
        if at == End::Source {
            self.application.hear(|| connection.sink.received(), now);
        } else {
            let received = connection.sink.received();
            if segment.len > 0 {
                self.last = now;
            }
            if let Some(batches) = &mut self.batches {
                batches.complete(received, now, || self.application.rest(now));
            }
            connection.close_after_peer();
        }
    }

    pub(super) fn wake(&mut self, now: Time) {
        if now >= self.life.stop {
            self.stop();
        } else if self.connection.is_none() && now >= self.life.start {
            self.connection = Some(Connection::open(&self.config, End::Source, 0, now));
        }
        let Some(connection) = &mut self.connection else { return };
        let chunk = Bytes(u64::from(self.config.mss));
        if let Some(end) = self.application.begin_batch(now) {
            self.batches.get_or_insert_default().pending.push_back((end, now));
        }
        let bytes = self.application.write(chunk, now);
        if bytes > 0 {
            connection.source.write(bytes);
        }
        if self.application.is_finished() {
            connection.source.close();
        }
        connection.wake(now);
    }

    #[inline]
    pub(super) fn next_wake(&self) -> Option<Time> {
        let timer = self.connection.as_ref().and_then(Connection::next_wake);
        let application = Time::earliest(self.application.next_batch, self.application.next_write);
        let stop = (!self.application.stopped).then_some(self.life.stop);
        let next = Time::earliest(timer, application)?;
        Time::earliest(Some(next), stop)
    }

    #[inline]
    pub(super) fn emit(&mut self, now: Time) -> Option<Outgoing> {
        self.connection.as_mut()?.emit(now)
    }

    pub(super) fn reset(&mut self) {
        self.rtt.reset();
        if let Some(batches) = &mut self.batches {
            batches.completions = Histogram::new();
        }
        self.before = self.counts();
    }

    /// The congestion window in segments; `None` before the start.
    #[inline]
    pub(super) fn window(&self) -> Option<u32> {
        self.connection.as_ref().map(Connection::cwnd)
    }

    pub(super) fn delivered(&self) -> u64 {
        self.counts().received
    }

    pub(super) fn gauges(&self) -> Gauges {
        Gauges {
            cwnd: self.window().map(f64::from),
            rtt: self.connection.as_ref().and_then(Connection::srtt),
            delivered: self.delivered(),
        }
    }

    pub(super) fn result(&self, from: Time, now: Time) -> FlowResult {
        let counts = self.counts();
        let delivered = counts.received - self.before.received;
        let batches = self.batches.as_ref();
        let ended = self.application.is_finished()
            && batches.is_none_or(|batches| batches.pending.is_empty());
        FlowResult {
            kind: self.kind,
            goodput_mbit: self.life.mbit(delivered, self.last, ended, (from, now)),
            rtt_ms: Some(self.rtt.spread()),
            completion_s: batches.map(|batches| Completion::of(&batches.completions)),
            ..counts.result(self.before)
        }
    }

    /// Stops the application: data already sent still arrives, and nothing else.
    fn stop(&mut self) {
        if self.application.stopped {
            return;
        }
        self.application.stop();
        if let Some(connection) = &mut self.connection {
            connection.source.abandon();
        }
    }

    fn counts(&self) -> Counts {
        self.connection.as_ref().map(Connection::counts).unwrap_or_default()
    }
}

impl Batches {
    /// Records the batches that are complete with `received` bytes, and calls `done` for each.
    fn complete(&mut self, received: u64, now: Time, mut done: impl FnMut()) {
        while let Some((_, since)) = self.pending.pop_front_if(|(end, _)| *end <= received) {
            self.completions.record(now.since(since).as_nanos());
            done();
        }
    }
}

impl Application {
    /// Begins a batch of work if one is due, and returns the stream position at which it ends.
    /// `None` if none is due, or if the data has no end.
    fn begin_batch(&mut self, now: Time) -> Option<u64> {
        if self.next_batch.is_none_or(|due| due > now) {
            return None;
        }
        self.next_batch = match self.recurrence {
            Some(Recurrence::Every(every)) => Some(now + every),
            Some(Recurrence::Idle { .. }) | None => None,
        };
        if self.pace.is_some() && self.next_write.is_none() {
            self.next_write = Some(now);
        }
        let Some(batch) = self.batch else {
            self.unwritten = u64::MAX;
            return None;
        };
        self.unwritten = self.unwritten.saturating_add(batch.0);
        self.total = self.total.saturating_add(batch.0);
        Some(self.total)
    }

    /// Schedules the next batch after one has arrived, if it follows after an idle time.
    fn rest(&mut self, now: Time) {
        if let Some(Recurrence::Idle { least, most }) = self.recurrence
            && !self.stopped
        {
            let choices = (most - least).as_nanos() + 1;
            self.next_batch = Some(now + least + Span::from_nanos(self.rng.below(choices)));
        }
    }

    /// Takes a packet from the peer, which has received `received` bytes. It answers the greeting
    /// if the peer has received all of that.
    #[inline]
    fn hear(&mut self, received: impl FnOnce() -> u64, now: Time) {
        if self.unanswered.is_some_and(|greeting| greeting <= received()) {
            self.unanswered = None;
            self.next_write = Some(now);
        }
    }

    /// The number of bytes that the application writes now, `chunk` at a time if it is paced.
    fn write(&mut self, chunk: Bytes, now: Time) -> u64 {
        if let Some(greeting) = self.greeting.take_if(|_| self.unwritten > 0) {
            self.next_write = None;
            let bytes = greeting.0.min(self.unwritten);
            // Data without end does not get shorter.
            self.unwritten -= if self.unwritten == u64::MAX { 0 } else { bytes };
            self.unanswered = Some(bytes);
            return bytes;
        }
        if self.unanswered.is_some() {
            return 0;
        }
        let Some(pace) = &mut self.pace else {
            self.next_write = None;
            return std::mem::take(&mut self.unwritten);
        };
        if self.next_write.is_none_or(|due| due > now) {
            return 0;
        }
        let bytes = chunk.0.min(self.unwritten);
        self.unwritten -= bytes;
        self.next_write = (self.unwritten > 0).then(|| now + pace.span(Bytes(bytes)));
        bytes
    }

    /// Stops all writing from now on.
    fn stop(&mut self) {
        self.stopped = true;
        self.next_batch = None;
        self.next_write = None;
        self.unwritten = 0;
    }

    /// True if all data is written and none will follow.
    fn is_finished(&self) -> bool {
        let has_end = self.stopped || (self.batch.is_some() && self.recurrence.is_none());
        has_end && self.next_batch.is_none() && self.unwritten == 0
    }
}
