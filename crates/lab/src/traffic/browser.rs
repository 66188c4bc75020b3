//! The browser of a page: parallel connections, each of which fetches one object after the other.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddrV4;

use live::Namespace;
use meter::ActivePeriod;
use results::{Completion, FlowKind, FlowResult};
use rustix::event::epoll::EventFlags;
use rustix::net::{SendFlags, Shutdown, send, shutdown};
use stats::Histogram;
use units::{Span, Time};

use super::FlowOutcome;
use super::open::{self, Refusal, Stream};
use super::request::request;
use super::sink::{Counter, Taken, discard};
use super::worker::{Party, Poll};
use crate::plan::FlowPlan;

/// A page that is loaded once, or repeatedly.
pub(super) struct Browser {
    flow: FlowPlan,
    /// The namespace in which the connections are made.
    node: Namespace,
    server: SocketAddrV4,
    connections: u32,
    objects: Vec<u64>,
    pause: Option<Span>,
    life: ActivePeriod,
    next_load: Option<Time>,
    loading: Option<Load>,
    /// The connections of complete pages, until the server has closed them too.
    closing: BTreeMap<u32, Stream>,
    /// The number of the next connection.
    next: u32,
    stopped: bool,
    completions: Histogram,
    counter: Counter,
}

/// A page that is being loaded.
struct Load {
    since: Time,
    fetches: BTreeMap<u32, Fetch>,
    next_object: usize,
    complete: usize,
}

/// A connection, and the bytes that are still missing of the object that it fetches.
struct Fetch {
    stream: Stream,
    is_connected: bool,
    left: Option<u64>,
}

impl Browser {
    /// A browser for a flow whose traffic is a page with these connections, objects and pause.
    pub(super) fn new(
        flow: &FlowPlan,
        node: Namespace,
        server: SocketAddrV4,
        (connections, objects, pause): (u32, Vec<u64>, Option<Span>),
        counter: Counter,
    ) -> Self {
        let life = ActivePeriod::of(&flow.spec);
        Self {
            flow: flow.clone(),
            node,
            server,
            connections: connections.min(u32::try_from(objects.len()).unwrap_or(u32::MAX)),
            objects,
            pause,
            life,
            next_load: Some(life.start),
            loading: None,
            closing: BTreeMap::new(),
            next: 0,
            stopped: false,
            completions: Histogram::new(),
            counter,
        }
    }

    /// Opens all connections; each sends a request as soon as it is connected.
    fn load(&mut self, since: Time, poll: &mut Poll<'_>) -> io::Result<()> {
        self.next_load = None;
        self.node.enter()?;
        let mut fetches = BTreeMap::new();
        for object in &self.objects[..self.connections as usize] {
            let fatal = |why: Refusal| why.fatal(&self.flow);
            let stream = open::connector(&self.flow).map_err(fatal)?;
            if !open::dial(&stream, &self.server).map_err(fatal)? {
                // The object of this connection never comes.
                continue;
            }
            poll.add(&stream, self.next, EventFlags::OUT)?;
            fetches.insert(self.next, Fetch { stream, is_connected: false, left: Some(*object) });
            self.next = self.next.wrapping_add(1);
        }
        let next_object = self.connections as usize;
        self.loading = Some(Load { since, fetches, next_object, complete: 0 });
        Ok(())
    }

    /// Completes the page and closes its connections, as a browser that moves on does.
    fn finish(&mut self, now: Time) {
        let Some(load) = self.loading.take() else { return };
        self.completions.record(now.since(load.since).as_nanos());
        for (number, fetch) in load.fetches {
            // Fails only if the connection is gone already.
            let _ = shutdown(&fetch.stream, Shutdown::Write);
            self.closing.insert(number, fetch.stream);
        }
        let next = self.pause.map(|pause| now + pause);
        self.next_load = next.filter(|begin| *begin < self.life.stop && !self.stopped);
    }

    /// Waits for the server to close its side, too.
    fn wind_up(&mut self, number: u32, flags: EventFlags, poll: &mut Poll<'_>) {
        let Some(stream) = self.closing.remove(&number) else { return };
        let is_broken = flags.intersects(EventFlags::ERR | EventFlags::HUP);
        if is_broken || matches!(discard(&stream, poll.scratch), Taken::End) {
            stream.close();
        } else {
            self.closing.insert(number, stream);
        }
    }

    /// Reads the data of an object that has arrived. True if that completed the page.
    fn read(&mut self, number: u32, now: Time, poll: &mut Poll<'_>) -> io::Result<bool> {
        let Some(load) = &mut self.loading else { return Ok(false) };
        let Some(fetch) = load.fetches.get_mut(&number) else { return Ok(false) };
        match discard(&fetch.stream, poll.scratch) {
            Taken::Bytes(bytes) => {
                // If it fails, the next read reports it.
                let _ = open::keep_window(&fetch.stream, &self.flow.spec.tcp);
                self.counter.add(bytes, now);
                fetch.left = fetch.left.map(|left| left.saturating_sub(bytes as u64));
            }
            Taken::Nothing => {}
            Taken::End => {
                load.fetches.remove(&number);
                return Ok(false);
            }
        }
        if fetch.left == Some(0) {
            load.complete += 1;
            fetch.left = self.objects.get(load.next_object).copied();
            load.next_object += 1;
            if let Some(bytes) = fetch.left {
                ask(&fetch.stream, bytes);
            }
        }
        Ok(load.complete == self.objects.len())
    }
}

/// Sends a request. It is far smaller than the room that TCP has in a connection with nothing to
/// send. If sending fails, the connection is broken, and the object never comes.
fn ask(stream: &Stream, bytes: u64) {
    let _ = send(stream, &request(bytes), SendFlags::NOSIGNAL);
}

impl Party for Browser {
    fn begin(&mut self, _: &mut Poll<'_>) -> io::Result<()> {
        // A browser has no sockets yet.
        Ok(())
    }

    fn ready(
        &mut self,
        number: u32,
        flags: EventFlags,
        now: Time,
        poll: &mut Poll<'_>,
    ) -> io::Result<()> {
        let fetch = self.loading.as_mut().and_then(|load| load.fetches.get_mut(&number));
        match fetch {
            None => self.wind_up(number, flags, poll),
            Some(fetch) if !fetch.is_connected && !flags.contains(EventFlags::ERR) => {
                fetch.is_connected = true;
                let _ = open::hold_back(&fetch.stream, &self.flow.spec.tcp);
                if let Some(bytes) = fetch.left {
                    ask(&fetch.stream, bytes);
                }
                poll.modify(&fetch.stream, number, EventFlags::IN)?;
            }
            Some(_) => {
                if self.read(number, now, poll)? {
                    self.finish(now);
                }
            }
        }
        Ok(())
    }

    fn wake(&mut self, now: Time, poll: &mut Poll<'_>) -> io::Result<()> {
        if now >= self.life.stop {
            self.stopped = true;
            self.next_load = None;
            if let Some(load) = &mut self.loading {
                load.next_object = self.objects.len();
            }
        }
        match self.next_load.filter(|due| *due <= now) {
            Some(due) => self.load(due, poll),
            None => Ok(()),
        }
    }

    fn next_wake(&self) -> Option<Time> {
        let stop = Some(self.life.stop).filter(|stop| !self.stopped && *stop < Time::MAX);
        Time::earliest(self.next_load, stop)
    }

    fn reset(&mut self) {
        self.counter.reset();
        self.completions = Histogram::new();
    }

    fn outcome(&self, from: Time, to: Time) -> FlowOutcome {
        let delivered = self.counter.delivered();
        let ended = self.loading.is_none() && self.next_load.is_none();
        let result = FlowResult {
            kind: FlowKind::Page,
            goodput_mbit: self.life.mbit(delivered, self.counter.last, ended, (from, to)),
            delivered_bytes: Some(delivered),
            completion_s: Some(Completion::of(&self.completions)),
            ..FlowResult::default()
        };
        FlowOutcome { result, delays: Histogram::new() }
    }
}
