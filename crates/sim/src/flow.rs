//! Senders and receivers: one file for each kind of traffic.
//!
//! A flow is a pure state machine: it is told of packets and of the time, and returns the packets
//! to send now and the time of its next timer.

mod cbr;
mod connection;
mod delays;
mod page;
mod ping;
mod tcp;
mod web;

use std::sync::Arc;

use meter::{ActivePeriod, FlowRecorder, Gauges};
use qdisc::Ecn;
use results::{FlowKind, FlowResult};
use scenario::Traffic;
use transport::Config;
use units::{Bytes, Rng, Span, Time};

use crate::hops::End;
use crate::packet::SimPacket;
use crate::payloads::Payload;

use cbr::Cbr;
pub(crate) use connection::config;
pub(crate) use delays::Delays;
use page::Page;
use ping::Ping;
use tcp::TcpFlow;
use web::Web;

/// A flow of any kind.
#[derive(Debug)]
pub(crate) enum Flow {
    Tcp(Box<TcpFlow>),
    Page(Box<Page>),
    Web(Box<Web>),
    Cbr(Cbr),
    Ping(Ping),
}

/// A packet that a flow sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing {
    pub(crate) from: End,
    pub(crate) payload: Payload,
    /// The length of the IP packet.
    pub(crate) len: Bytes,
    pub(crate) ecn: Ecn,
    pub(crate) channel: u16,
}

impl Outgoing {
    /// A packet without a connection and without ECN.
    fn datagram(from: End, sent: Time, len: Bytes) -> Self {
        let payload = Payload::Datagram { sent };
        Self { from, payload, len, ecn: Ecn::NotEct, channel: 0 }
    }
}

impl Flow {
    /// The flow that `spec` describes, with its [`config`] and its own stream of randomness.
    pub(crate) fn new(spec: &scenario::Flow, config: &Arc<Config>, rng: Rng) -> Self {
        let config = Arc::clone(config);
        let life = ActivePeriod::of(spec);
        match &spec.traffic {
            Traffic::Bulk { .. } | Traffic::Transfer { .. } | Traffic::Periodic { .. } => {
                Self::Tcp(Box::new(TcpFlow::new(&spec.traffic, &spec.tcp, config, life, rng)))
            }
            Traffic::Page { connections, objects, pause } => {
                Self::Page(Box::new(Page::new(*connections, objects, *pause, config, life)))
            }
            Traffic::Packmime { connections_per_second } => {
                Self::Web(Box::new(Web::new(*connections_per_second, config, life, &rng)))
            }
            Traffic::Cbr { rate, packet } => {
                Self::Cbr(Cbr::new(FlowKind::Cbr, *rate, *packet, life))
            }
            Traffic::Voip { codec } => {
                Self::Cbr(Cbr::new(FlowKind::Voip, codec.rate(), codec.packet(), life))
            }
            Traffic::Ping { interval, bytes } => Self::Ping(Ping::new(*interval, *bytes, life)),
        }
    }

    /// A packet has arrived at one end.
    #[inline]
    pub(crate) fn receive(&mut self, packet: &SimPacket, payload: &Payload, at: End, now: Time) {
        match self {
            Self::Tcp(flow) => flow.receive(packet, payload, at, now),
            Self::Page(flow) => flow.receive(packet, payload, at, now),
            Self::Web(flow) => flow.receive(packet, payload, at, now),
            Self::Cbr(flow) => flow.receive(payload, now),
            Self::Ping(flow) => flow.receive(payload, at, now),
        }
    }

    /// Acts on the timers that are due, at the time of [`next_wake`](Self::next_wake).
    pub(crate) fn wake(&mut self, now: Time) {
        match self {
            Self::Tcp(flow) => flow.wake(now),
            Self::Page(flow) => flow.wake(now),
            Self::Web(flow) => flow.wake(now),
            Self::Cbr(flow) => flow.wake(now),
            Self::Ping(flow) => flow.wake(now),
        }
    }

    /// The time at which [`wake`](Self::wake) is to be called; `None` if no timer is set.
    #[inline]
    pub(crate) fn next_wake(&self) -> Option<Time> {
        match self {
            Self::Tcp(flow) => flow.next_wake(),
            Self::Page(flow) => flow.next_wake(),
            Self::Web(flow) => flow.next_wake(),
            Self::Cbr(flow) => flow.next_wake(),
            Self::Ping(flow) => flow.next_wake(),
        }
    }

    /// The next packet to send now. To be called until it returns `None`, after each of the calls
    /// above.
    #[inline]
    pub(crate) fn emit(&mut self, now: Time) -> Option<Outgoing> {
        match self {
            Self::Tcp(flow) => flow.emit(now),
            Self::Page(flow) => flow.emit(now),
            Self::Web(flow) => flow.emit(now),
            Self::Cbr(flow) => flow.emit(),
            Self::Ping(flow) => flow.emit(),
        }
    }

    /// The warm-up is over: statistics begin now.
    pub(crate) fn reset(&mut self) {
        match self {
            Self::Tcp(flow) => flow.reset(),
            Self::Page(flow) => flow.reset(),
            Self::Web(flow) => flow.reset(),
            Self::Cbr(flow) => flow.reset(),
            Self::Ping(flow) => flow.reset(),
        }
    }

    /// Records the latest round trip and the congestion window, if there are any.
    #[inline]
    pub(crate) fn note(&mut self, recorder: &mut FlowRecorder) {
        if let Some(rtt) = self.take_round_trip() {
            recorder.round_trip(rtt);
        }
        if let Some(segments) = self.window() {
            recorder.window(segments);
        }
    }

    /// The latest round trip; `None` if there is no new one. The one-way delay of a datagram is no
    /// round trip.
    #[inline]
    fn take_round_trip(&mut self) -> Option<Span> {
        match self {
            Self::Tcp(flow) => flow.rtt.take_latest(),
            Self::Page(flow) => flow.rtt.take_latest(),
            Self::Web(flow) => flow.rtt.take_latest(),
            Self::Ping(flow) => flow.rtt.take_latest(),
            Self::Cbr(_) => None,
        }
    }

    /// Congestion window in segments; `None` for a flow that is not one connection.
    #[inline]
    fn window(&self) -> Option<u32> {
        match self {
            Self::Tcp(flow) => flow.window(),
            Self::Page(_) | Self::Web(_) | Self::Ping(_) | Self::Cbr(_) => None,
        }
    }

    /// Application bytes delivered since the beginning.
    pub(crate) fn delivered(&self) -> u64 {
        match self {
            Self::Tcp(flow) => flow.delivered(),
            Self::Page(flow) => flow.delivered(),
            Self::Web(flow) => flow.delivered(),
            Self::Cbr(flow) => flow.received,
            Self::Ping(_) => 0,
        }
    }

    /// Round trips, or one-way delays of datagrams.
    pub(crate) fn delays(&self) -> &Delays {
        match self {
            Self::Tcp(flow) => &flow.rtt,
            Self::Page(flow) => &flow.rtt,
            Self::Web(flow) => &flow.rtt,
            Self::Cbr(flow) => &flow.delay,
            Self::Ping(flow) => &flow.rtt,
        }
    }

    /// The present values for a series.
    pub(crate) fn gauges(&self) -> Gauges {
        match self {
            Self::Tcp(flow) => flow.gauges(),
            Self::Page(flow) => flow.gauges(),
            Self::Web(flow) => flow.gauges(),
            Self::Cbr(flow) => flow.gauges(),
            Self::Ping(flow) => flow.gauges(),
        }
    }

    /// The result from `from`, at which the statistics began, to `now`.
    pub(crate) fn result(&self, from: Time, now: Time) -> FlowResult {
        match self {
            Self::Tcp(flow) => flow.result(from, now),
            Self::Page(flow) => flow.result(from, now),
            Self::Web(flow) => flow.result(from, now),
            Self::Cbr(flow) => flow.result(from, now),
            Self::Ping(flow) => flow.result(),
        }
    }
}
