//! A web page: several TCP connections in parallel, each fetching one object after the other.
//!
//! The flow's sink is the browser. It opens all connections at once. On each it requests the next
//! object that is not requested yet, and another one when that has fully arrived. The page is
//! complete when all objects are. Gettys saw such bursts of several initial windows fill home
//! routers (RFC 7928 section 7.2 has the same load).

use std::sync::Arc;

use meter::{ActivePeriod, Gauges, REQUEST};
use qdisc::Packet;
use results::{Completion, FlowKind, FlowResult};
use stats::Histogram;
use transport::Config;
use units::{Bytes, Span, Time};

use super::Outgoing;
use super::connection::{Connection, Counts};
use super::delays::Delays;
use crate::hops::End;
use crate::packet::SimPacket;
use crate::payloads::Payload;

/// A page that is loaded once, or again and again.
#[derive(Debug)]
pub(crate) struct Page {
    config: Arc<Config>,
    parallel: u32,
    objects: Vec<Bytes>,
    pause: Option<Span>,
    life: ActivePeriod,
    /// The time of the next load of the page; `None` during a load, and if none follows.
    next_load: Option<Time>,
    /// The load under way, if any.
    loading: Option<Load>,
    /// The channel of the next connection, which distinguishes late packets of old ones.
    next_channel: u16,
    pub(super) rtt: Delays,
    completions: Histogram,
    /// Times from the beginning of a load to its first byte.
    startups: Histogram,
    stopped: bool,
    /// The time at which data last arrived.
    last: Time,
    /// Counts of the connections of former loads.
    past: Counts,
    before: Counts,
}

#[derive(Debug)]
struct Load {
    since: Time,
    /// True once data has arrived.
    begun: bool,
    fetches: Vec<Fetch>,
    next_object: usize,
    complete: usize,
    /// The first connection that may have packets to send.
    cursor: usize,
}

/// One connection and the object that it carries.
#[derive(Debug)]
struct Fetch {
    connection: Connection,
    /// The size of the requested object; `None` if none is on its way.
    object: Option<Bytes>,
    /// The position in the server's stream at which the object ends.
    ends: u64,
    /// Requests that the server has answered, in bytes received.
    answered: u64,
}

impl Page {
    pub(super) fn new(
        parallel: u32,
        objects: &[Bytes],
        pause: Option<Span>,
        config: Arc<Config>,
        life: ActivePeriod,
    ) -> Self {
        Self {
            config,
            parallel,
            objects: objects.to_vec(),
            pause,
            life,
            next_load: Some(life.start),
            loading: None,
            next_channel: 0,
            rtt: Delays::default(),
            completions: Histogram::new(),
            startups: Histogram::new(),
            stopped: false,
            last: Time::ZERO,
            past: Counts::default(),
            before: Counts::default(),
        }
    }

    pub(super) fn receive(&mut self, packet: &SimPacket, payload: &Payload, at: End, now: Time) {
        let (Payload::Tcp(segment), Some(load)) = (payload, &mut self.loading) else {
            return;
        };
        let first = load.fetches[0].connection.channel();
        let index = usize::from(packet.channel.wrapping_sub(first));
        let Some(fetch) = load.fetches.get_mut(index) else { return };
        fetch.connection.receive(segment, packet.ecn(), at, now, &mut self.rtt);
        load.cursor = load.cursor.min(index);
        match at {
            End::Source => fetch.answer(),
            End::Sink => {
                if segment.len > 0 {
                    self.last = now;
                    if !core::mem::replace(&mut load.begun, true) {
                        self.startups.record(now.since(load.since).as_nanos());
                    }
                }
                if fetch.has_arrived() {
                    fetch.object = None;
                    load.complete += 1;
                    load.ask(index, &self.objects);
                }
                if load.complete == self.objects.len() {
                    self.completions.record(now.since(load.since).as_nanos());
                    self.finish(now);
                }
            }
        }
    }

    pub(super) fn wake(&mut self, now: Time) {
        if now >= self.life.stop {
            self.stop();
        }
        if self.next_load.is_some_and(|due| due <= now) {
            self.next_load = None;
            self.load(now);
        }
        if let Some(load) = &mut self.loading {
            for fetch in &mut load.fetches {
                if fetch.connection.next_wake().is_some_and(|due| due <= now) {
                    fetch.connection.wake(now);
                }
            }
            load.cursor = 0;
        }
    }

    pub(super) fn next_wake(&self) -> Option<Time> {
        let fetches = self.loading.iter().flat_map(|load| &load.fetches);
        let timer = fetches.map(|fetch| fetch.connection.next_wake()).fold(None, Time::earliest);
        let stop = (!self.stopped).then_some(self.life.stop);
        let next = Time::earliest(timer, self.next_load)?;
        Time::earliest(Some(next), stop)
    }

    pub(super) fn emit(&mut self, now: Time) -> Option<Outgoing> {
        let load = self.loading.as_mut()?;
        while let Some(fetch) = load.fetches.get_mut(load.cursor) {
            if let Some(outgoing) = fetch.connection.emit(now) {
                return Some(outgoing);
            }
            load.cursor += 1;
        }
        None
    }

    pub(super) fn reset(&mut self) {
        self.rtt.reset();
        self.completions = Histogram::new();
        self.startups = Histogram::new();
        self.before = self.counts();
    }

    pub(super) fn delivered(&self) -> u64 {
        self.counts().received
    }

    pub(super) fn gauges(&self) -> Gauges {
        let fetches = || self.loading.iter().flat_map(|load| &load.fetches);
        let windows = || fetches().map(|fetch| f64::from(fetch.connection.cwnd()));
        Gauges {
            cwnd: self.loading.as_ref().map(|_| windows().sum()),
            rtt: fetches().filter_map(|fetch| fetch.connection.srtt()).max(),
            delivered: self.delivered(),
        }
    }

    pub(super) fn result(&self, from: Time, now: Time) -> FlowResult {
        let counts = self.counts();
        let delivered = counts.received - self.before.received;
        let ended = self.loading.is_none() && self.next_load.is_none();
        FlowResult {
            kind: FlowKind::Page,
            goodput_mbit: self.life.mbit(delivered, self.last, ended, (from, now)),
            rtt_ms: Some(self.rtt.spread()),
            completion_s: Some(Completion::of(&self.completions)),
            startup_s: Some(Completion::of(&self.startups)),
            ..counts.result(self.before)
        }
    }

    /// Requests no further page or object; data that the server has sent still arrives.
    fn stop(&mut self) {
        self.stopped = true;
        self.next_load = None;
        if let Some(load) = &mut self.loading {
            load.next_object = self.objects.len();
            load.fetches.iter_mut().for_each(|fetch| fetch.connection.source.abandon());
        }
    }

    fn load(&mut self, now: Time) {
        let parallel = self.parallel.min(self.objects.len() as u32);
        let open = |_| {
            let channel = self.next_channel;
            self.next_channel = channel.wrapping_add(1);
            let connection = Connection::open(&self.config, End::Sink, channel, now);
            Fetch { connection, object: None, ends: 0, answered: 0 }
        };
        let fetches: Vec<Fetch> = (0..parallel).map(open).collect();
        let mut load = Load { fetches, ..Load::at(now) };
        for index in 0..load.fetches.len() {
            load.ask(index, &self.objects);
        }
        self.loading = Some(load);
    }

    /// Ends a complete load: its connections are dropped, as by a browser that goes to another
    /// page.
    fn finish(&mut self, now: Time) {
        self.past = self.counts();
        self.loading = None;
        let next = self.pause.map(|pause| now + pause);
        self.next_load = next.filter(|begin| *begin < self.life.stop);
    }

    fn counts(&self) -> Counts {
        let fetches = self.loading.iter().flat_map(|load| &load.fetches);
        fetches.fold(self.past, |sum, fetch| sum + fetch.connection.counts())
    }
}

impl Load {
    /// A load before its connections are opened.
    fn at(now: Time) -> Self {
        Self {
            since: now,
            begun: false,
            fetches: Vec::new(),
            next_object: 0,
            complete: 0,
            cursor: 0,
        }
    }

    /// Requests the next object over this connection, if one is left.
    fn ask(&mut self, index: usize, objects: &[Bytes]) {
        let Some(object) = objects.get(self.next_object) else { return };
        self.next_object += 1;
        let fetch = &mut self.fetches[index];
        fetch.object = Some(*object);
        fetch.ends += object.0;
        fetch.connection.sink.write(REQUEST.0);
    }
}

impl Fetch {
    /// Answers a request that has fully arrived at the server.
    fn answer(&mut self) {
        let Some(object) = self.object else { return };
        if self.connection.source.received() >= self.answered + REQUEST.0 {
            self.answered += REQUEST.0;
            self.connection.source.write(object.0);
        }
    }

    fn has_arrived(&self) -> bool {
        self.object.is_some() && self.connection.sink.received() >= self.ends
    }
}
