//! A TCP flow with several connections at a time, and its application: pages, and the web load of a
//! crowd.
//!
//! The memory of a connection that is closed or dropped is used again by a later one.

mod connections;

use std::collections::VecDeque;
use std::sync::Arc;

use meter::Gauges;
use qdisc::Packet;
use results::FlowResult;
use transport::Config;
use units::Time;
use workload::{Application, Delays, End, Received, Request};

use super::connection::{Connection, Counts};
use crate::packet::SimPacket;
use crate::payloads::{Content, Payloads};
use connections::Connections;

/// A flow over any number of connections.
#[derive(Debug)]
pub(crate) struct ParallelFlow<A> {
    config: Arc<Config>,
    application: A,
    live: Connections,
    /// The places of connections that may have something to send.
    ready: VecDeque<u32>,
    pub(super) rtt: Delays,
    /// The counts of the connections of the past.
    past: Counts,
    before: Counts,
}

impl<A: Application> ParallelFlow<A> {
    pub(super) fn new(application: A, config: Arc<Config>) -> Self {
        Self {
            config,
            application,
            live: Connections::default(),
            ready: VecDeque::new(),
            rtt: Delays::default(),
            past: Counts::default(),
            before: Counts::default(),
        }
    }

    #[inline]
    pub(super) fn receive(&mut self, packet: &SimPacket, content: &Content, at: End, now: Time) {
        let Content::Tcp(segment) = content else { return };
        // Packets of a connection of the past may still be on the way.
        let Some(place) = self.live.place(packet.channel) else { return };
        let Some(connection) = self.live.at_mut(place) else { return };
        let delivery = connection.receive(segment, packet.ecn(), at, now);
        if at == End::Source {
            connection.take_round_trip(&mut self.rtt);
        }
        if let Some(bytes) = delivery.data {
            let data = Received { connection: packet.channel, at, bytes };
            self.application.on_received(data, now);
        }
        if delivery.is_last {
            self.application.on_peer_closed(packet.channel, at);
        }
        self.ready.push_back(place);
        self.obey(now);
    }

    pub(super) fn wake(&mut self, now: Time) {
        self.application.on_time(now);
        self.obey(now);
        while let Some(place) = self.live.take_due(now) {
            if let Some(connection) = self.live.at_mut(place) {
                connection.wake(now);
                self.ready.push_back(place);
            }
        }
    }

    #[inline]
    pub(super) fn next_wake(&self) -> Option<Time> {
        let next = Time::earliest(self.live.next_due(), self.application.next_action())?;
        Time::earliest(Some(next), self.application.stops())
    }

    #[inline]
    pub(super) fn emit(
        &mut self,
        packet: &mut SimPacket,
        payloads: &mut Payloads,
        now: Time,
    ) -> Option<End> {
        while let Some(place) = self.ready.front() {
            let connection = self.live.at_mut(*place);
            if let Some(from) = connection.and_then(|it| it.emit(packet, payloads, now)) {
                return Some(from);
            }
            if let Some(gone) = self.live.settle(*place) {
                self.past = self.past + gone.counts();
                self.application.on_gone(gone.channel());
            }
            self.ready.pop_front();
        }
        None
    }

    pub(super) fn reset(&mut self) {
        self.rtt.reset();
        self.application.reset();
        self.before = self.counts();
    }

    pub(super) fn delivered(&self) -> u64 {
        self.application.delivered()
    }

    pub(super) fn gauges(&self) -> Gauges {
        let windows = self.live.iter().map(|connection| f64::from(connection.cwnd()));
        Gauges {
            cwnd: windows.reduce(|sum, window| sum + window),
            rtt: self.live.iter().filter_map(Connection::srtt).max(),
            delivered: self.delivered(),
        }
    }

    pub(super) fn result(&self, from: Time, now: Time) -> FlowResult {
        FlowResult {
            rtt_ms: Some(self.rtt.spread()),
            ..self.counts().result(self.before, self.application.result(&(from..now)))
        }
    }

    /// Carries out the requests of the application.
    fn obey(&mut self, now: Time) {
        while let Some(request) = self.application.next_request() {
            match request {
                Request::Open { connection } => {
                    let opened = Connection::open(&self.config, A::OPENER, connection, now);
                    self.ready.push_back(self.live.insert(opened));
                }
                Request::Drop { connection } => {
                    let dropped = self.live.remove(connection).map(|dropped| dropped.counts());
                    self.past = self.past + dropped.unwrap_or_default();
                }
                Request::Write { connection, .. }
                | Request::Close { connection, .. }
                | Request::Abandon { connection, .. } => {
                    let Some(place) = self.live.place(connection) else { continue };
                    if let Some(connection) = self.live.at_mut(place) {
                        connection.obey(request);
                        self.ready.push_back(place);
                    }
                }
            }
        }
    }

    pub(super) fn counts(&self) -> Counts {
        self.live.iter().fold(self.past, |sum, connection| sum + connection.counts())
    }
}
