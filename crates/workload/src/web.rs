//! The web load of a crowd: PackMime-HTTP over TCP.
//!
//! The flow's source has the servers and its sink the browsers. The model gives the times of new
//! connections, whether or not earlier ones are complete. Each is opened by its browser, carries
//! requests and responses, one after the other, and is closed by its server after the last
//! response. So a link that is too slow has more and more of them.

mod transaction;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

use results::{Completion, FlowKind, FlowResult};
use stats::Histogram;
use units::{Rng, Time};

use crate::delivered::Delivered;
use crate::packmime::WebLoad;
use crate::{ActivePeriod, Application, End, Numbered, Received, Request};
use transaction::Transaction;

/// The most connections at one time: their numbers have 16 bits.
const MOST: usize = 1 << 16;

/// The web load of one crowd.
#[derive(Debug)]
pub struct Web {
    active: ActivePeriod,
    /// The model of the load; `None` at a rate of zero.
    load: Option<WebLoad>,
    next_open: Option<Time>,
    live: Numbered<Transaction>,
    /// The number of the latest connection.
    latest: u16,
    /// The times at which a server answers or a browser sends a request, each with its connection.
    due: BinaryHeap<Reverse<(Time, u16)>>,
    stopped: bool,
    delivered: Delivered,
    /// Times from a request to its complete response.
    completions: Histogram,
    opened: u64,
    opened_before: u64,
    requests: VecDeque<Request>,
}

impl Web {
    /// A load of `rate` new connections per second on average; zero for none at all.
    pub(crate) fn new(rate: f64, active: ActivePeriod, rng: &Rng) -> Self {
        let load = (rate > 0.0).then(|| WebLoad::new(rate, rng));
        Self {
            active,
            next_open: load.is_some().then_some(active.start),
            load,
            live: Numbered::default(),
            latest: u16::MAX,
            due: BinaryHeap::new(),
            stopped: false,
            delivered: Delivered::NOTHING,
            completions: Histogram::new(),
            opened: 0,
            opened_before: 0,
            requests: VecDeque::new(),
        }
    }

    /// Opens a connection, on which the browser sends its first request. Opens none if there are
    /// too many.
    fn open(&mut self, now: Time) {
        let Some(load) = &mut self.load else { return };
        let gap = load.gap();
        self.next_open = Some(now + gap).filter(|next| *next < self.active.stop);
        let visit = load.visit();
        let Some(connection) = self.free_number() else { return };
        self.opened += 1;
        let mut transaction = Transaction::new(connection, visit);
        self.requests.push_back(Request::Open { connection });
        self.requests.push_back(transaction.request(now));
        self.live.insert(connection, transaction);
    }

    /// The first free number after the last that was given; `None` if there is none. A number is
    /// used again only after all others have been, so that late packets of an old connection do not
    /// find a new one.
    fn free_number(&mut self) -> Option<u16> {
        if self.live.len() >= MOST {
            return None;
        }
        self.latest = self.latest.wrapping_add(1);
        while self.live.place(self.latest).is_some() {
            self.latest = self.latest.wrapping_add(1);
        }
        Some(self.latest)
    }

    fn next_due(&self) -> Option<Time> {
        self.due.peek().map(|Reverse((due, _))| *due)
    }

    /// Stops: no more requests are sent. Data that servers have sent is still delivered.
    fn stop(&mut self) {
        if std::mem::replace(&mut self.stopped, true) {
            return;
        }
        self.next_open = None;
        self.due.clear();
        self.requests.extend(self.live.iter_mut().map(|(_, transaction)| transaction.stop()));
    }
}

impl Application for Web {
    const OPENER: End = End::Sink;

    #[inline]
    fn next_action(&self) -> Option<Time> {
        Time::earliest(self.next_due(), self.next_open)
    }

    #[inline]
    fn stops(&self) -> Option<Time> {
        (!self.stopped && self.active.stop < Time::MAX).then_some(self.active.stop)
    }

    fn on_time(&mut self, now: Time) {
        if now >= self.active.stop {
            self.stop();
        }
        while self.next_due().is_some_and(|due| due <= now) {
            let Some(Reverse((due, connection))) = self.due.pop() else { break };
            if let Some(transaction) = self.live.get_mut(connection) {
                transaction.act(due, &mut self.requests);
            }
        }
        while let Some(due) = self.next_open.filter(|due| *due <= now) {
            self.open(due);
        }
    }

    #[inline]
    fn on_received(&mut self, data: Received, now: Time) {
        if data.at == End::Sink {
            self.delivered.add(data.bytes, now);
        }
        let Some(transaction) = self.live.get_mut(data.connection) else { return };
        let was = transaction.due();
        match data.at {
            End::Source => transaction.on_request_bytes(data.bytes, now),
            End::Sink => {
                if let Some(took) = transaction.on_response_bytes(data.bytes, now) {
                    self.completions.record(took.as_nanos());
                }
            }
        }
        let due = transaction.due().filter(|_| was.is_none());
        self.due.extend(due.map(|due| Reverse((due, data.connection))));
    }

    /// Closes the browser's end after the server's.
    fn on_peer_closed(&mut self, connection: u16, at: End) {
        if at == End::Sink {
            self.requests.push_back(Request::Close { connection, at });
        }
    }

    fn on_gone(&mut self, connection: u16) {
        if let Some(place) = self.live.place(connection) {
            self.live.remove(place);
        }
    }

    #[inline]
    fn next_request(&mut self) -> Option<Request> {
        self.requests.pop_front()
    }

    fn reset(&mut self) {
        self.delivered.reset();
        self.completions = Histogram::new();
        self.opened_before = self.opened;
    }

    fn delivered(&self) -> u64 {
        self.delivered.total()
    }

    fn result(&self, during: &Range<Time>) -> FlowResult {
        FlowResult {
            kind: FlowKind::Packmime,
            goodput_mbit: self.delivered.goodput_mbit(self.active, false, during),
            delivered_bytes: Some(self.delivered.counted()),
            completion_s: Some(Completion::of(&self.completions)),
            connections: Some(self.opened - self.opened_before),
            ..FlowResult::default()
        }
    }
}

#[cfg(test)]
mod tests;
