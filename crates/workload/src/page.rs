//! A web page: several TCP connections in parallel, each fetching one object after the other.
//!
//! The flow's sink is the browser. It opens all connections at once. On each it requests the next
//! object that is not requested yet, and another one when that has been fully delivered. The page
//! is complete when all objects are. Gettys saw such bursts of several initial windows fill home
//! routers (RFC 7928 section 7.2 has the same load).

use std::collections::VecDeque;
use std::ops::Range;

use results::{Completion, FlowKind, FlowResult};
use stats::Histogram;
use units::{Bytes, Span, Time};

use crate::delivered::Delivered;
use crate::{ActivePeriod, Application, End, Received, Request};

/// The payload of a request. Half of all requests in the traces behind PackMime are below 422 bytes
/// (Cao et al., "Stochastic Models for Generating Synthetic HTTP Source Traffic", 2004).
const REQUEST: Bytes = Bytes(422);

/// A page that is loaded once, or again and again.
#[derive(Debug)]
pub struct Page {
    parallel: u32,
    objects: Vec<Bytes>,
    pause: Option<Span>,
    active: ActivePeriod,
    /// The time of the next load of the page; `None` during a load, and if none follows.
    next_load: Option<Time>,
    /// The load under way; `None` between two loads.
    loading: Option<Load>,
    /// The number of the next connection, which distinguishes late packets of old ones.
    next_connection: u16,
    stopped: bool,
    delivered: Delivered,
    completions: Histogram,
    /// Times from the beginning of a load to its first byte.
    startups: Histogram,
    requests: VecDeque<Request>,
}

/// A load of the page.
#[derive(Debug)]
struct Load {
    since: Time,
    /// True once data has been delivered.
    begun: bool,
    /// The number of the first connection; those of the others follow.
    first: u16,
    fetches: Vec<Fetch>,
    next_object: usize,
    complete: usize,
}

/// The request and the object on one connection.
#[derive(Clone, Copy, Debug, Default)]
struct Fetch {
    /// The size of the requested object; `None` if none is on its way.
    object: Option<Bytes>,
    /// The bytes of the request that have not been delivered to the server.
    request_left: u64,
    /// The bytes of the object that have not been delivered to the browser.
    object_left: u64,
}

impl Page {
    /// A page of `objects`, which are fetched over `parallel` connections, and again a `pause`
    /// after the page is complete; `None` to load it once.
    pub(crate) fn new(
        parallel: u32,
        objects: &[Bytes],
        pause: Option<Span>,
        active: ActivePeriod,
    ) -> Self {
        Self {
            parallel: parallel.min(objects.len() as u32),
            objects: objects.to_vec(),
            pause,
            active,
            next_load: Some(active.start),
            loading: None,
            next_connection: 0,
            stopped: false,
            delivered: Delivered::NOTHING,
            completions: Histogram::new(),
            startups: Histogram::new(),
            requests: VecDeque::new(),
        }
    }

    /// Opens all connections, and requests the first objects.
    fn load(&mut self, since: Time) {
        let first = self.next_connection;
        let fetches = vec![Fetch::default(); self.parallel as usize];
        self.next_connection = first.wrapping_add(self.parallel as u16);
        let mut load = Load { since, begun: false, first, fetches, next_object: 0, complete: 0 };
        for index in 0..load.fetches.len() {
            self.requests.push_back(Request::Open { connection: load.connection(index) });
            self.requests.extend(load.request_object(index, &self.objects));
        }
        self.loading = Some(load);
    }

    /// Ends a complete load: its connections are dropped, as by a browser that goes to another
    /// page.
    fn finish(&mut self, now: Time) {
        if let Some(load) = self.loading.take() {
            self.completions.record(now.since(load.since).as_nanos());
            let connections = (0..load.fetches.len()).map(|index| load.connection(index));
            self.requests.extend(connections.map(|connection| Request::Drop { connection }));
        }
        let next = self.pause.map(|pause| now + pause);
        self.next_load = next.filter(|begin| *begin < self.active.stop);
    }

    /// Stops: requests no further page or object. Data that the server has sent is still delivered.
    fn stop(&mut self) {
        if std::mem::replace(&mut self.stopped, true) {
            return;
        }
        self.next_load = None;
        if let Some(load) = &mut self.loading {
            load.next_object = self.objects.len();
            for index in 0..load.fetches.len() {
                let connection = load.connection(index);
                self.requests.push_back(Request::Abandon { connection, at: End::Source });
            }
        }
    }
}

impl Application for Page {
    const OPENER: End = End::Sink;

    fn next_action(&self) -> Option<Time> {
        self.next_load
    }

    fn stops(&self) -> Option<Time> {
        (!self.stopped && self.active.stop < Time::MAX).then_some(self.active.stop)
    }

    fn on_time(&mut self, now: Time) {
        if now >= self.active.stop {
            self.stop();
        }
        if let Some(due) = self.next_load.take_if(|due| *due <= now) {
            self.load(due);
        }
    }

    fn on_received(&mut self, data: Received, now: Time) {
        let Some(load) = &mut self.loading else { return };
        let index = usize::from(data.connection.wrapping_sub(load.first));
        let Some(fetch) = load.fetches.get_mut(index) else { return };
        match data.at {
            End::Source => self.requests.extend(fetch.answer(data)),
            End::Sink => {
                self.delivered.add(data.bytes, now);
                if !std::mem::replace(&mut load.begun, true) {
                    self.startups.record(now.since(load.since).as_nanos());
                }
                if fetch.completes(data.bytes) {
                    load.complete += 1;
                    self.requests.extend(load.request_object(index, &self.objects));
                }
                if load.complete == self.objects.len() {
                    self.finish(now);
                }
            }
        }
    }

    /// Does nothing: neither browser nor server closes, and a complete page drops its connections.
    fn on_peer_closed(&mut self, _connection: u16, _at: End) {}

    #[inline]
    fn next_request(&mut self) -> Option<Request> {
        self.requests.pop_front()
    }

    fn reset(&mut self) {
        self.delivered.reset();
        self.completions = Histogram::new();
        self.startups = Histogram::new();
    }

    fn delivered(&self) -> u64 {
        self.delivered.total()
    }

    fn result(&self, during: &Range<Time>) -> FlowResult {
        let ended = self.loading.is_none() && self.next_load.is_none();
        FlowResult {
            kind: FlowKind::Page,
            goodput_mbit: self.delivered.goodput_mbit(self.active, ended, during),
            delivered_bytes: Some(self.delivered.counted()),
            completion_s: Some(Completion::of(&self.completions)),
            startup_s: Some(Completion::of(&self.startups)),
            ..FlowResult::default()
        }
    }
}

impl Load {
    fn connection(&self, index: usize) -> u16 {
        self.first.wrapping_add(index as u16)
    }

    /// Requests the next object over this connection, if one is left.
    fn request_object(&mut self, index: usize, objects: &[Bytes]) -> Option<Request> {
        let object = *objects.get(self.next_object)?;
        self.next_object += 1;
        let request = REQUEST.0;
        self.fetches[index] =
            Fetch { object: Some(object), request_left: request, object_left: object.0 };
        let connection = self.connection(index);
        Some(Request::Write { connection, at: End::Sink, bytes: request })
    }
}

impl Fetch {
    /// Takes data at the server. Returns the server's answer if a request has been fully delivered;
    /// `None` otherwise.
    fn answer(&mut self, data: Received) -> Option<Request> {
        if self.request_left == 0 || data.bytes < self.request_left {
            self.request_left = self.request_left.saturating_sub(data.bytes);
            return None;
        }
        self.request_left = 0;
        let Received { connection, at, .. } = data;
        self.object.map(|object| Request::Write { connection, at, bytes: object.0 })
    }

    /// Takes data at the browser. Returns true if the object is complete now.
    fn completes(&mut self, bytes: u64) -> bool {
        self.object_left = self.object_left.saturating_sub(bytes);
        self.object.take_if(|_| self.object_left == 0).is_some()
    }
}

#[cfg(test)]
mod tests;
