//! Senders and receivers: one file for each kind of traffic.
//!
//! A flow is a pure state machine: the world gives it packets and the time, and it returns the
//! packets to send now and the time of its next timer.

mod connection;
mod parallel;
mod tcp;

use std::sync::Arc;

use meter::{FlowRecorder, Gauges};
use results::FlowResult;
use transport::Config;
use units::{Bytes, Rng, Span, Time};
use workload::{Cbr, Datagram, Delays, Page, Ping, Web, Workload};

use crate::hops::End;
use crate::packet::SimPacket;
use crate::payloads::{Content, Payloads};

use parallel::ParallelFlow;
use tcp::TcpFlow;

/// The length of the IP header, and of that of UDP (RFC 768) or ICMP (RFC 792).
const DATAGRAM_HEADERS: Bytes = Bytes(20 + 8);

/// A flow of any kind.
#[derive(Debug)]
pub(crate) enum Flow {
    Tcp(Box<TcpFlow>),
    Page(Box<ParallelFlow<Page>>),
    Web(Box<ParallelFlow<Web>>),
    Cbr(Box<Cbr>),
    Ping(Box<Ping>),
}

impl Flow {
    /// The flow that `spec` describes, with the options of its connections and a stream of
    /// randomness of its own.
    pub(crate) fn new(spec: &scenario::Flow, config: &Arc<Config>, rng: Rng) -> Self {
        let config = Arc::clone(config);
        match Workload::new(spec, rng) {
            Workload::Stream(stream) => Self::Tcp(Box::new(TcpFlow::new(*stream, config))),
            Workload::Page(page) => Self::Page(Box::new(ParallelFlow::new(*page, config))),
            Workload::Web(web) => Self::Web(Box::new(ParallelFlow::new(*web, config))),
            Workload::Cbr(cbr) => Self::Cbr(cbr),
            Workload::Ping(ping) => Self::Ping(ping),
        }
    }

    /// Takes a packet that has been delivered to one end.
    #[inline]
    pub(crate) fn receive(&mut self, packet: &SimPacket, content: &Content, at: End, now: Time) {
        match self {
            Self::Tcp(flow) => flow.receive(packet, content, at, now),
            Self::Page(flow) => flow.receive(packet, content, at, now),
            Self::Web(flow) => flow.receive(packet, content, at, now),
            Self::Cbr(cbr) => {
                if let Content::Datagram { sent } = *content {
                    cbr.on_datagram(sent, now);
                }
            }
            Self::Ping(ping) => {
                if let Content::Datagram { sent } = *content {
                    ping.on_datagram(at, sent, now);
                }
            }
        }
    }

    /// Acts on the timers that are due, at the time of [`next_wake`](Self::next_wake).
    pub(crate) fn wake(&mut self, now: Time) {
        match self {
            Self::Tcp(flow) => flow.wake(now),
            Self::Page(flow) => flow.wake(now),
            Self::Web(flow) => flow.wake(now),
            Self::Cbr(cbr) => cbr.on_time(now),
            Self::Ping(ping) => ping.on_time(now),
        }
    }

    /// The time at which [`wake`](Self::wake) is to be called; `None` if no timer is set.
    #[inline(always)]
    pub(crate) fn next_wake(&self) -> Option<Time> {
        match self {
            Self::Tcp(flow) => flow.next_wake(),
            Self::Page(flow) => flow.next_wake(),
            Self::Web(flow) => flow.next_wake(),
            Self::Cbr(flow) => flow.next_wake(),
            Self::Ping(flow) => flow.next_wake(),
        }
    }

    /// Writes the next packet to send now into `packet`, and returns the end that sends it; `None` if there
    /// is none. To be called until it returns `None`, after each of the calls above. The packet's flow and
    /// hop, its code point and its identification are left to the caller.
    #[inline]
    pub(crate) fn emit(
        &mut self,
        packet: &mut SimPacket,
        payloads: &mut Payloads,
        now: Time,
    ) -> Option<End> {
        let datagram = match self {
            Self::Tcp(flow) => return flow.emit(packet, payloads, now),
            Self::Page(flow) => return flow.emit(packet, payloads, now),
            Self::Web(flow) => return flow.emit(packet, payloads, now),
            Self::Cbr(cbr) => cbr.next_datagram(),
            Self::Ping(ping) => ping.next_datagram(),
        };
        let Datagram { from, sent, payload } = datagram?;
        packet.payload = payloads.put_datagram(sent);
        packet.ip_len = (payload + DATAGRAM_HEADERS).0 as u16;
        Some(from)
    }

    /// Begins the statistics: the warm-up is over.
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
    pub(crate) fn take_round_trip(&mut self) -> Option<Span> {
        match self {
            Self::Tcp(flow) => flow.rtt.take_latest(),
            Self::Page(flow) => flow.rtt.take_latest(),
            Self::Web(flow) => flow.rtt.take_latest(),
            Self::Ping(ping) => ping.take_round_trip(),
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
            Self::Cbr(cbr) => cbr.delivered(),
            Self::Ping(_) => 0,
        }
    }

    /// Segments retransmitted since the beginning.
    pub(crate) fn retransmitted(&self) -> u64 {
        match self {
            Self::Tcp(flow) => flow.counts().retransmitted,
            Self::Page(flow) => flow.counts().retransmitted,
            Self::Web(flow) => flow.counts().retransmitted,
            Self::Cbr(_) | Self::Ping(_) => 0,
        }
    }

    /// Round trips, or one-way delays of datagrams.
    pub(crate) fn delays(&self) -> &Delays {
        match self {
            Self::Tcp(flow) => &flow.rtt,
            Self::Page(flow) => &flow.rtt,
            Self::Web(flow) => &flow.rtt,
            Self::Cbr(cbr) => cbr.delays(),
            Self::Ping(ping) => ping.delays(),
        }
    }

    /// The present values for a series.
    pub(crate) fn gauges(&self) -> Gauges {
        match self {
            Self::Tcp(flow) => flow.gauges(),
            Self::Page(flow) => flow.gauges(),
            Self::Web(flow) => flow.gauges(),
            Self::Cbr(cbr) => Gauges { delivered: cbr.delivered(), ..Gauges::default() },
            Self::Ping(ping) => Gauges { rtt: ping.latest(), ..Gauges::default() },
        }
    }

    /// The result from `from`, at which the statistics began, to `now`.
    pub(crate) fn result(&self, from: Time, now: Time) -> FlowResult {
        match self {
            Self::Tcp(flow) => flow.result(from, now),
            Self::Page(flow) => flow.result(from, now),
            Self::Web(flow) => flow.result(from, now),
            Self::Cbr(cbr) => cbr.result(&(from..now)),
            Self::Ping(ping) => ping.result(),
        }
    }
}
