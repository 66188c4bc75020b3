//! What sends and receives: one file a kind of traffic.
//!
//! A flow is as pure as everything else: it is told of packets and of the time, and asked what it
//! sends now and when it next has something to do.

mod cbr;
mod connection;
mod delays;
mod page;
mod ping;
mod tcp;
mod web;

use std::sync::Arc;

use meter::{Gauges, Life};
use qdisc::Ecn;
use results::{FlowRecorder, FlowResult};
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

/// A packet that a flow wants sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing {
    pub(crate) from: End,
    pub(crate) payload: Payload,
    /// The IP packet's length.
    pub(crate) len: Bytes,
    pub(crate) ecn: Ecn,
    pub(crate) channel: u16,
}

impl Outgoing {
    /// A packet of no connection and without ECN.
    fn datagram(from: End, sent: Time, len: Bytes) -> Self {
        let payload = Payload::Datagram { sent };
        Self { from, payload, len, ecn: Ecn::NotEct, channel: 0 }
    }
}

impl Flow {
    /// The flow that `spec` describes, with the [`config`] of it and a stream of randomness of its
    /// own.
    pub(crate) fn new(spec: &scenario::Flow, config: &Arc<Config>, rng: Rng) -> Self {
        let config = Arc::clone(config);
        let life = Life::of(spec);
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
            Traffic::Cbr { rate, packet } => Self::Cbr(Cbr::new("cbr", *rate, *packet, life)),
            Traffic::Voip { codec } => {
                Self::Cbr(Cbr::new("voip", codec.rate(), codec.packet(), life))
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

    /// The time that [`next_wake`](Self::next_wake) named has come.
    pub(crate) fn wake(&mut self, now: Time) {
        match self {
            Self::Tcp(flow) => flow.wake(now),
            Self::Page(flow) => flow.wake(now),
            Self::Web(flow) => flow.wake(now),
            Self::Cbr(flow) => flow.wake(now),
            Self::Ping(flow) => flow.wake(now),
        }
    }

    /// When the flow next has something to do by itself.
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

    /// What it sends now; to be asked until nothing comes, after each of the calls above.
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

    /// Tells how it is now.
    #[inline]
    pub(crate) fn note(&mut self, recorder: &mut FlowRecorder) {
        if let Some(rtt) = self.take_round_trip() {
            recorder.round_trip(rtt);
        }
        if let Some(segments) = self.window() {
            recorder.window(segments);
        }
    }

    /// What a packet has just measured, unless it was asked for before: a round trip. What a
    /// datagram takes one way is none.
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

    /// Congestion window in segments, of a flow over one connection.
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

    /// Round trips, or what datagrams took one way.
    pub(crate) fn delays(&self) -> &Delays {
        match self {
            Self::Tcp(flow) => &flow.rtt,
            Self::Page(flow) => &flow.rtt,
            Self::Web(flow) => &flow.rtt,
            Self::Cbr(flow) => &flow.delay,
            Self::Ping(flow) => &flow.rtt,
        }
    }

    /// What a series shows.
    pub(crate) fn gauges(&self) -> Gauges {
        match self {
            Self::Tcp(flow) => flow.gauges(),
            Self::Page(flow) => flow.gauges(),
            Self::Web(flow) => flow.gauges(),
            Self::Cbr(flow) => flow.gauges(),
            Self::Ping(flow) => flow.gauges(),
        }
    }

    /// What it got since the statistics began at `from`; `now` is their end.
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
