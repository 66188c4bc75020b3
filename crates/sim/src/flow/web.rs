//! The web load of a crowd: PackMime-HTTP over TCP.
//!
//! The flow's source has the servers and its sink the browsers. The model gives the times of new
//! connections, whether or not earlier ones are complete. Each is opened by its browser, carries
//! requests and responses, one after the other, and is closed by its server after the last
//! response. So a link that is too slow has more and more of them. The memory of a connection is
//! used again by a later one.

mod http_transaction;
mod http_transactions;

use std::sync::Arc;

use meter::{ActivePeriod, Gauges};
use qdisc::Packet;
use results::{Completion, FlowKind, FlowResult};
use stats::Histogram;
use transport::Config;
use units::{Rng, Time};

use super::Outgoing;
use super::connection::Counts;
use super::delays::Delays;
use crate::hops::End;
use crate::packet::SimPacket;
use crate::packmime::WebLoad;
use crate::payloads::Payload;
use http_transaction::HttpTransaction;
use http_transactions::HttpTransactions;

/// The web load of one crowd.
#[derive(Debug)]
pub(crate) struct Web {
    config: Arc<Config>,
    life: ActivePeriod,
    /// `None` at a rate of zero.
    load: Option<WebLoad>,
    next_open: Option<Time>,
    live: HttpTransactions,
    /// Places of connections that may have something to send.
    ready: Vec<u32>,
    stopped: bool,
    pub(super) rtt: Delays,
    completions: Histogram,
    opened: u64,
    opened_before: u64,
    /// The time at which data last arrived.
    last: Time,
    /// Counts of closed connections.
    past: Counts,
    before: Counts,
}

impl Web {
    /// A load of `rate` new connections per second on average; zero for none at all.
    pub(super) fn new(rate: f64, config: Arc<Config>, life: ActivePeriod, rng: &Rng) -> Self {
        let load = (rate > 0.0).then(|| WebLoad::new(rate, rng));
        Self {
            config,
            life,
            next_open: load.is_some().then_some(life.start),
            load,
            live: HttpTransactions::default(),
            ready: Vec::new(),
            stopped: false,
            rtt: Delays::default(),
            completions: Histogram::new(),
            opened: 0,
            opened_before: 0,
            last: Time::ZERO,
            past: Counts::default(),
            before: Counts::default(),
        }
    }

    #[inline]
    pub(super) fn receive(&mut self, packet: &SimPacket, payload: &Payload, at: End, now: Time) {
        let Payload::Tcp(segment) = payload else { return };
        // A closed connection may still have packets on the way.
        let Some(place) = self.live.place(packet.channel) else { return };
        let Some(transaction) = self.live.get_mut(place) else { return };
        transaction.connection.receive(segment, packet.ecn(), at, now, &mut self.rtt);
        match at {
            End::Source => transaction.think(now),
            End::Sink => {
                if segment.len > 0 {
                    self.last = now;
                }
                if let Some(took) = transaction.read(now) {
                    self.completions.record(took.as_nanos());
                }
            }
        }
        self.ready.push(place);
    }

    pub(super) fn wake(&mut self, now: Time) {
        if now >= self.life.stop {
            self.stop();
        }
        while let Some(place) = self.live.take_due(now) {
            if let Some(transaction) = self.live.get_mut(place) {
                transaction.wake(now);
                self.ready.push(place);
            }
        }
        while self.next_open.is_some_and(|due| due <= now) {
            self.open(now);
        }
    }

    #[inline]
    pub(super) fn next_wake(&self) -> Option<Time> {
        let next = Time::earliest(self.live.next_due(), self.next_open)?;
        let stop = (!self.stopped).then_some(self.life.stop);
        Time::earliest(Some(next), stop)
    }

    #[inline]
    pub(super) fn emit(&mut self, now: Time) -> Option<Outgoing> {
        while let Some(place) = self.ready.last() {
            let transaction = self.live.get_mut(*place);
            if let Some(outgoing) =
                transaction.and_then(|transaction| transaction.connection.emit(now))
            {
                return Some(outgoing);
            }
            if let Some(gone) = self.live.settle(*place) {
                self.past = self.past + gone;
            }
            self.ready.pop();
        }
        None
    }

    pub(super) fn reset(&mut self) {
        self.rtt.reset();
        self.completions = Histogram::new();
        self.opened_before = self.opened;
        self.before = self.counts();
    }

    pub(super) fn delivered(&self) -> u64 {
        self.counts().received
    }

    pub(super) fn gauges(&self) -> Gauges {
        let connections = || self.live.iter().map(|transaction| &transaction.connection);
        let cwnd: f64 = connections().map(|connection| f64::from(connection.cwnd())).sum();
        Gauges {
            cwnd: (cwnd > 0.0).then_some(cwnd),
            rtt: connections().filter_map(|connection| connection.srtt()).max(),
            delivered: self.delivered(),
        }
    }

    pub(super) fn result(&self, from: Time, now: Time) -> FlowResult {
        let counts = self.counts();
        let delivered = counts.received - self.before.received;
        FlowResult {
            kind: FlowKind::Packmime,
            goodput_mbit: self.life.mbit(delivered, self.last, false, (from, now)),
            rtt_ms: Some(self.rtt.spread()),
            completion_s: Some(Completion::of(&self.completions)),
            connections: Some(self.opened - self.opened_before),
            ..counts.result(self.before)
        }
    }

    /// Opens a connection, on which the browser sends its first request; not if all channels are
    /// used.
    fn open(&mut self, now: Time) {
        let Some(load) = &mut self.load else { return };
        let gap = load.gap();
        self.next_open = Some(now + gap).filter(|next| *next < self.life.stop);
        let visit = load.visit();
        let config = &self.config;
        let opened = self.live.insert(|channel| HttpTransaction::open(visit, config, channel, now));
        if let Some(place) = opened {
            self.opened += 1;
            self.ready.push(place);
        }
    }

    /// Sends no more requests; data that servers have sent still arrives.
    fn stop(&mut self) {
        if self.stopped {
            return;
        }
        self.stopped = true;
        self.next_open = None;
        self.live.for_each(|place, transaction| {
            transaction.stop();
            self.ready.push(place);
        });
    }

    fn counts(&self) -> Counts {
        self.live.iter().fold(self.past, |sum, transaction| sum + transaction.connection.counts())
    }
}
