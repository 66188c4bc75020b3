//! One TCP connection and the application that writes to it: bulk, transfer and periodic traffic.

use std::collections::VecDeque;
use std::sync::Arc;

use meter::{Gauges, Life};
use qdisc::Packet;
use results::{Completion, FlowResult, Histogram};
use scenario::{Recurrence, Tcp, Traffic};
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
    kind: &'static str,
    config: Arc<Config>,
    life: Life,
    application: Application,
    /// Nothing before the start.
    connection: Option<Connection>,
    /// Nothing if the flow has no end.
    batches: Option<Box<Batches>>,
    pub(super) rtt: Delays,
    /// What had been counted when the statistics began.
    before: Counts,
    /// When data last arrived.
    last: Time,
}

/// What became of batches of work.
#[derive(Debug, Default)]
struct Batches {
    /// What was handed over and has not fully arrived: the byte that completes it, and since when.
    pending: VecDeque<(u64, Time)>,
    completions: Histogram,
}

/// What the application has to send, and how fast it writes.
#[derive(Debug)]
struct Application {
    /// Each batch of work; endless if nothing.
    batch: Option<Bytes>,
    /// When the next follows; nothing if there is only one, after which it closes.
    recurrence: Option<Recurrence>,
    next_batch: Option<Time>,
    /// How long the application is idle.
    rng: Rng,
    /// What is sent first, until it has been written.
    greeting: Option<Bytes>,
    /// The length of the greeting, while nothing else is written.
    unanswered: Option<u64>,
    /// Gives the time from one write to the next, if the application is slower than TCP.
    pace: Option<Serializer>,
    next_write: Option<Time>,
    /// Handed over by the work but not yet written.
    unwritten: u64,
    /// Written or to be written, since the beginning.
    total: u64,
    /// Writes no more.
    stopped: bool,
}

impl TcpFlow {
    pub(super) fn new(
        traffic: &Traffic,
        tcp: &Tcp,
        config: Arc<Config>,
        life: Life,
        rng: Rng,
    ) -> Self {
        let (kind, batch, recurrence) = match traffic {
            Traffic::Periodic { bytes, next } => ("periodic", Some(*bytes), Some(*next)),
            Traffic::Transfer { bytes } => ("transfer", Some(*bytes), None),
            Traffic::Bulk { bytes } => ("bulk", *bytes, None),
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

    /// Nothing before the start.
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
            kind: self.kind.into(),
            goodput_mbit: self.life.mbit(delivered, self.last, ended, (from, now)),
            rtt_ms: Some(self.rtt.spread()),
            completion_s: batches.map(|batches| Completion::of(&batches.completions)),
            ..counts.result(self.before)
        }
    }

    /// The application stops: what has been sent still arrives, and nothing else.
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
    /// So much has been received: notes what is complete, and tells `done` of each.
    fn complete(&mut self, received: u64, now: Time, mut done: impl FnMut()) {
        while let Some((_, since)) = self.pending.pop_front_if(|(end, _)| *end <= received) {
            self.completions.record(now.since(since).as_nanos());
            done();
        }
    }
}

impl Application {
    /// If a batch of work begins now: the byte that completes it.
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

    /// A batch has arrived: if the next follows on it, not before a while.
    fn rest(&mut self, now: Time) {
        if let Some(Recurrence::Idle { least, most }) = self.recurrence
            && !self.stopped
        {
            let choices = (most - least).as_nanos() + 1;
            self.next_batch = Some(now + least + Span::from_nanos(self.rng.below(choices)));
        }
    }

    /// Something has come back from the peer, who has received so much: the answer to the
    /// greeting, if the peer has all of that.
    #[inline]
    fn hear(&mut self, received: impl FnOnce() -> u64, now: Time) {
        if self.unanswered.is_some_and(|greeting| greeting <= received()) {
            self.unanswered = None;
            self.next_write = Some(now);
        }
    }

    /// How much the application writes now, `chunk` bytes at a time if it is paced.
    fn write(&mut self, chunk: Bytes, now: Time) -> u64 {
        if let Some(greeting) = self.greeting.take_if(|_| self.unwritten > 0) {
            self.next_write = None;
            let bytes = greeting.0.min(self.unwritten);
            // What never ends does not get shorter.
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

    /// Writes no more from now on.
    fn stop(&mut self) {
        self.stopped = true;
        self.next_batch = None;
        self.next_write = None;
        self.unwritten = 0;
    }

    /// Has all that there will ever be been written?
    fn is_finished(&self) -> bool {
        let has_end = self.stopped || (self.batch.is_some() && self.recurrence.is_none());
        has_end && self.next_batch.is_none() && self.unwritten == 0
    }
}
