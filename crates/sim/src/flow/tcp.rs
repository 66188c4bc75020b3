//! One TCP connection and its application: bulk, transfer and periodic traffic.

use std::sync::Arc;

use meter::Gauges;
use qdisc::Packet;
use results::FlowResult;
use transport::Config;
use units::Time;
use workload::{Application, Delays, End, Received, Request, Stream};

use super::connection::{Connection, Counts};
use crate::packet::SimPacket;
use crate::payloads::{Content, Payloads};

/// A flow over one connection.
#[derive(Debug)]
pub(crate) struct TcpFlow {
    config: Arc<Config>,
    application: Stream,
    /// The connection; `None` before the start.
    connection: Option<Connection>,
    pub(super) rtt: Delays,
    /// The counts when the statistics began.
    before: Counts,
}

impl TcpFlow {
    pub(super) fn new(application: Stream, config: Arc<Config>) -> Self {
        let (rtt, before) = (Delays::default(), Counts::default());
        Self { config, application, connection: None, rtt, before }
    }

    #[inline]
    pub(super) fn receive(&mut self, packet: &SimPacket, content: &Content, at: End, now: Time) {
        let (Content::Tcp(segment), Some(connection)) = (content, &mut self.connection) else {
            return;
        };
        let delivery = connection.receive(segment, packet.ecn(), at, now);
        match at {
            End::Source => {
                connection.take_round_trip(&mut self.rtt);
                self.application.on_answer(now);
            }
            End::Sink => {
                if let Some(bytes) = delivery.data {
                    let data = Received { connection: packet.channel, at, bytes };
                    self.application.on_received(data, now);
                }
                if delivery.is_last {
                    self.application.on_peer_closed(packet.channel, at);
                    self.obey(now);
                }
            }
        }
    }

    pub(super) fn wake(&mut self, now: Time) {
        self.application.on_time(now);
        self.obey(now);
        if let Some(connection) = &mut self.connection {
            connection.wake(now);
        }
    }

    #[inline]
    pub(super) fn next_wake(&self) -> Option<Time> {
        let timer = self.connection.as_ref().map(Connection::next_wake);
        let next = Time::earliest(timer, self.application.next_action())?;
        Time::earliest(Some(next), self.application.stops())
    }

    #[inline]
    pub(super) fn emit(
        &mut self,
        packet: &mut SimPacket,
        payloads: &mut Payloads,
        now: Time,
    ) -> Option<End> {
        self.connection.as_mut()?.emit(packet, payloads, now)
    }

    pub(super) fn reset(&mut self) {
        self.rtt.reset();
        self.application.reset();
        self.before = self.counts();
    }

    /// The congestion window in segments; `None` before the start.
    #[inline]
    pub(super) fn window(&self) -> Option<u32> {
        self.connection.as_ref().map(Connection::cwnd)
    }

    pub(super) fn delivered(&self) -> u64 {
        self.application.delivered()
    }

    pub(super) fn gauges(&self) -> Gauges {
        Gauges {
            cwnd: self.window().map(f64::from),
            rtt: self.connection.as_ref().and_then(Connection::srtt),
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
            match (request, &mut self.connection) {
                (Request::Open { connection }, _) => {
                    let opened = Connection::open(&self.config, Stream::OPENER, connection, now);
                    self.connection = Some(opened);
                }
                (request, Some(connection)) => connection.obey(request),
                (_, None) => {}
            }
        }
    }

    pub(super) fn counts(&self) -> Counts {
        self.connection.as_ref().map(Connection::counts).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With ten thousand flows, most of the time is spent on memory that no cache holds. A flow
    /// consists of this and of its sender, which is allocated apart.
    #[test]
    fn a_flow_is_small() {
        assert!(size_of::<TcpFlow>() <= 1232, "{}", size_of::<TcpFlow>());
    }
}
