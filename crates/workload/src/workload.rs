//! The application of a scenario's flow.

use results::FlowKind;
use scenario::Traffic;
use units::{Bytes, Rng};

use crate::stream::{Batch, Writer};
use crate::{ActivePeriod, Cbr, Page, Ping, Stream, Web};

/// An application of any kind.
#[derive(Debug)]
pub enum Workload {
    /// Bulk, transfer and periodic traffic.
    Stream(Box<Stream>),
    /// A web page.
    Page(Box<Page>),
    /// The web load of a crowd.
    Web(Box<Web>),
    /// Packets at a constant rate; one direction of a call is such a flow.
    Cbr(Box<Cbr>),
    /// ICMP echo.
    Ping(Box<Ping>),
}

impl Workload {
    /// Creates the application of a scenario's flow, with a random stream of its own.
    pub fn new(spec: &scenario::Flow, rng: Rng) -> Self {
        let active = ActivePeriod::of(spec, &rng);
        let stream = |batch| {
            let writer = Writer::new(spec.traffic.writing(), Bytes(spec.tcp.mss.into()));
            Self::Stream(Box::new(Stream::new(batch, writer, active, rng.clone())))
        };
        let cbr = |kind, rate, packet| Self::Cbr(Box::new(Cbr::new(kind, rate, packet, active)));
        match &spec.traffic {
            Traffic::Bulk { bytes, .. } => {
                stream(Batch { kind: FlowKind::Bulk, bytes: *bytes, next: None })
            }
            Traffic::Transfer { bytes, .. } => {
                stream(Batch { kind: FlowKind::Transfer, bytes: Some(*bytes), next: None })
            }
            Traffic::Periodic { bytes, next } => {
                let (bytes, next) = (Some(*bytes), Some(*next));
                stream(Batch { kind: FlowKind::Periodic, bytes, next })
            }
            Traffic::Page { connections, objects, pause } => {
                Self::Page(Box::new(Page::new(*connections, objects, *pause, active)))
            }
            Traffic::Packmime { connections_per_second } => {
                Self::Web(Box::new(Web::new(*connections_per_second, active, &rng)))
            }
            Traffic::Cbr { rate, packet } => cbr(FlowKind::Cbr, *rate, *packet),
            Traffic::Voip { codec } => cbr(FlowKind::Voip, codec.rate(), codec.packet()),
            Traffic::Ping { interval, timer, bytes } => {
                Self::Ping(Box::new(Ping::new(*interval, *timer, *bytes, active)))
            }
        }
    }
}
