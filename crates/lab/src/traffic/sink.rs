//! The receiving end of one TCP connection.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use meter::ActivePeriod;
use results::{Completion, FlowKind, FlowResult};
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use stats::Histogram;
use units::Time;

use super::open::{self, Stream};
use super::work::Arrivals;
use super::worker::{Party, Poll};
use super::{FlowGauges, FlowOutcome};
use crate::plan::FlowPlan;

/// Accepts one connection, and reads its data.
pub(super) struct Sink {
    kind: FlowKind,
    /// The listener; `None` after the connection.
    listener: Option<OwnedFd>,
    stream: Option<Stream>,
    flow: FlowPlan,
    life: ActivePeriod,
    arrivals: Arrivals,
    counter: Counter,
}

/// Counts the data that has arrived.
pub(super) struct Counter {
    gauges: Arc<[FlowGauges]>,
    flow: usize,
    pub(super) received: u64,
    before: u64,
    /// The time of the last arrival.
    pub(super) last: Time,
}

impl Counter {
    pub(super) fn new(gauges: Arc<[FlowGauges]>, flow: usize) -> Self {
        Self { gauges, flow, received: 0, before: 0, last: Time::ZERO }
    }

    pub(super) fn add(&mut self, bytes: usize, now: Time) {
        self.received += bytes as u64;
        self.last = now;
        self.gauges[self.flow].delivered.store(self.received, Ordering::Relaxed);
    }

    /// Begins the statistics.
    pub(super) fn reset(&mut self) {
        self.before = self.received;
    }

    /// The bytes since the statistics began.
    pub(super) fn delivered(&self) -> u64 {
        self.received - self.before
    }
}

/// The result of a read.
pub(super) enum Taken {
    Bytes(usize),
    Nothing,
    /// The peer has closed, or the connection broke.
    End,
}

/// Takes as many bytes as would fit into `scratch`, and throws them away.
pub(super) fn discard(stream: &Stream, scratch: &mut [u8]) -> Taken {
    // With MSG_TRUNC, TCP drops the bytes instead of copying them: tcp(7).
    match recv(stream, scratch, RecvFlags::TRUNC) {
        Ok((_, 0)) => Taken::End,
        Ok((_, bytes)) => Taken::Bytes(bytes),
        Err(Errno::AGAIN | Errno::INTR) => Taken::Nothing,
        Err(_) => Taken::End,
    }
}

impl Sink {
    pub(super) fn new(
        kind: FlowKind,
        listener: OwnedFd,
        flow: &FlowPlan,
        arrivals: Arrivals,
        counter: Counter,
    ) -> Self {
        Self {
            kind,
            listener: Some(listener),
            stream: None,
            flow: flow.clone(),
            life: ActivePeriod::of(&flow.spec),
            arrivals,
            counter,
        }
    }

    fn accept(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        let Some(listener) = &self.listener else { return Ok(()) };
        let accepted = open::accept(listener, &self.flow.spec.tcp);
        let Some(stream) = accepted.map_err(|why| why.fatal(&self.flow))? else { return Ok(()) };
        poll.add(&stream, 1, EventFlags::IN)?;
        self.stream = Some(stream);
        self.listener = None;
        Ok(())
    }
}

impl Party for Sink {
    fn begin(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        self.listener.as_ref().map_or(Ok(()), |listener| poll.add(listener, 0, EventFlags::IN))
    }

    fn ready(&mut self, _: u32, _: EventFlags, now: Time, poll: &mut Poll<'_>) -> io::Result<()> {
        let Some(stream) = &self.stream else { return self.accept(poll) };
        match discard(stream, poll.scratch) {
            Taken::Bytes(bytes) => {
                // If it fails, the next read reports it.
                let _ = open::keep_window(stream, &self.flow.spec.tcp);
                self.counter.add(bytes, now);
                self.arrivals.received(self.counter.received, now);
            }
            Taken::Nothing => {}
            // The sink closes after its peer.
            Taken::End => {
                if let Some(stream) = self.stream.take() {
                    stream.close();
                }
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.counter.reset();
        self.arrivals.completions = Histogram::new();
    }

    fn outcome(&self, from: Time, to: Time) -> FlowOutcome {
        let delivered = self.counter.delivered();
        let ended = self.arrivals.is_finished(to);
        let completions = &self.arrivals.completions;
        let result = FlowResult {
            kind: self.kind,
            goodput_mbit: self.life.mbit(delivered, self.counter.last, ended, (from, to)),
            delivered_bytes: Some(delivered),
            completion_s: self.arrivals.has_end().then(|| Completion::of(completions)),
            ..FlowResult::default()
        };
        FlowOutcome { result, delays: Histogram::new() }
    }
}
