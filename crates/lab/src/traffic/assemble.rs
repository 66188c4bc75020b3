//! The sockets of all flows, and the threads that serve them.

use std::io;
use std::net::SocketAddrV4;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use live::{Clock, Namespace};
use meter::ActivePeriod;
use results::FlowKind;
use rustix::io::Errno;
use scenario::Traffic;
use units::{Bytes, Rate};

use super::FlowGauges;
use super::browser::Browser;
use super::call::{Callee, Caller};
use super::inspector::Inspector;
use super::open::{self, CONNECTIONS, Refusal, Stream};
use super::ping::Ping;
use super::server::Server;
use super::sink::{Counter, Sink};
use super::source::Source;
use super::work::{Arrivals, Batches, Work};
use super::worker::Party;
use crate::LabError;
use crate::descriptors::Descriptors;
use crate::plan::{FlowPlan, Plan};

/// The sockets that a flow needs from the beginning.
#[derive(Default)]
pub(super) struct Sockets {
    /// The sending socket, or a page's listener; `None` if the flow connects, or if it is opened at
    /// another node.
    source: Option<OwnedFd>,
    /// The socket that opens the connection.
    connector: Option<Stream>,
    /// The socket that receives, or accepts.
    sink: Option<OwnedFd>,
    /// The namespace in which a browser makes its connections.
    browser: Option<Namespace>,
}

#[cfg(test)]
impl Sockets {
    /// Drops the receiving socket, so that a test can receive.
    pub(super) fn take_sink(&mut self) {
        self.sink = None;
    }
}

/// The parties of one thread, each with the index of its flow.
pub(super) type Crew = Vec<(usize, Box<dyn Party>)>;

/// Opens the sockets of all flows.
pub(super) fn open(plan: &Plan, nodes: &[Namespace]) -> Result<Vec<Sockets>, LabError> {
    // The maximum, since a page may have thousands of connections.
    Descriptors::raise_to(u64::MAX);
    let mut all: Vec<_> = plan.flows.iter().map(|_| Sockets::default()).collect();
    for (index, node) in nodes.iter().enumerate() {
        let opened = node.run(|| {
            plan.flows.iter().zip(&mut all).try_for_each(|(flow, sockets)| {
                open_at(index, plan, flow, sockets).map_err(|why| LabError::Machine(why.says(flow)))
            })
        });
        opened.map_err(|error| LabError::Machine(format!("network namespace: {error}")))??;
    }
    Ok(all)
}

/// Opens the sockets of a flow at this node. The calling thread must be in the node's namespace.
fn open_at(
    node: usize,
    plan: &Plan,
    flow: &FlowPlan,
    sockets: &mut Sockets,
) -> Result<(), Refusal> {
    let (from, to) = (plan.nodes[flow.source].v4, plan.nodes[flow.sink].v4);
    let (is_source, is_sink) = (flow.source == node, flow.sink == node);
    match &flow.spec.traffic {
        Traffic::Bulk { .. } | Traffic::Transfer { .. } | Traffic::Periodic { .. } => {
            if is_source {
                sockets.connector = Some(open::connector(flow)?);
            }
            if is_sink {
                sockets.sink = Some(open::listener(flow, to)?);
            }
        }
        Traffic::Page { .. } => {
            if is_source {
                sockets.source = Some(open::listener(flow, from)?);
            }
            if is_sink {
                let here = Namespace::current();
                sockets.browser = Some(here.map_err(|error| Refusal { key: "to", error })?);
            }
        }
        Traffic::Cbr { .. } | Traffic::Voip { .. } => {
            if is_source {
                sockets.source = Some(open::datagram_source(flow, to)?);
            }
            if is_sink {
                sockets.sink = Some(open::datagram_sink(flow, to)?);
            }
        }
        Traffic::Ping { .. } if is_source => sockets.source = Some(open::pinger(flow, to)?),
        Traffic::Ping { .. } | Traffic::Packmime { .. } => {}
    }
    Ok(())
}

/// The threads, each with a name and its parties.
pub(super) fn crews(
    plan: Plan,
    sockets: Vec<Sockets>,
    gauges: &Arc<[FlowGauges]>,
    clock: Clock,
) -> [(&'static str, Crew); 3] {
    let mut crews = Crews::default();
    for (index, (flow, sockets)) in plan.flows.iter().zip(sockets).enumerate() {
        let of = Of { index, flow, plan: &plan, gauges, clock };
        match &flow.spec.traffic {
            Traffic::Bulk { .. } => crews.connection(FlowKind::Bulk, &of, sockets),
            Traffic::Transfer { .. } => crews.connection(FlowKind::Transfer, &of, sockets),
            Traffic::Periodic { .. } => crews.connection(FlowKind::Periodic, &of, sockets),
            Traffic::Page { .. } => crews.page(&of, sockets),
            Traffic::Cbr { rate, packet } => {
                crews.call(FlowKind::Cbr, (*rate, *packet), &of, sockets);
            }
            Traffic::Voip { codec } => {
                crews.call(FlowKind::Voip, (codec.rate(), codec.packet()), &of, sockets);
            }
            Traffic::Ping { .. } => crews.ping(&of, sockets),
            Traffic::Packmime { .. } => {}
        }
    }
    [("senders", crews.senders), ("receivers", crews.receivers), ("punctual", crews.punctual)]
}

/// A flow, and the data that its parties share.
struct Of<'a> {
    index: usize,
    flow: &'a FlowPlan,
    plan: &'a Plan,
    gauges: &'a Arc<[FlowGauges]>,
    clock: Clock,
}

impl Of<'_> {
    fn inspector(&self) -> Inspector {
        Inspector::new(Arc::clone(self.gauges), self.index)
    }

    fn counter(&self) -> Counter {
        Counter::new(Arc::clone(self.gauges), self.index)
    }

    /// The address of the flow's listener at this node.
    fn port_at(&self, node: usize) -> SocketAddrV4 {
        SocketAddrV4::new(self.plan.nodes[node].v4, self.flow.port)
    }
}

#[derive(Default)]
struct Crews {
    senders: Crew,
    receivers: Crew,
    punctual: Crew,
}

impl Crews {
    fn connection(&mut self, kind: FlowKind, of: &Of<'_>, sockets: Sockets) {
        let (spec, flow) = (&of.flow.spec, of.index);
        let Some(batches) = Batches::of(spec) else { return };
        if let Some(stream) = sockets.connector {
            let work = Work::new(batches, spec.tcp.application_rate, spec.tcp.mss);
            let to = of.port_at(of.flow.sink);
            let start = batches.life.start;
            let source = Source::new(stream, to, start, work, of.inspector());
            self.senders.push((flow, Box::new(source)));
        }
        if let Some(listener) = sockets.sink {
            let sink = Sink::new(kind, listener, of.flow, Arrivals::new(batches), of.counter());
            self.receivers.push((flow, Box::new(sink)));
        }
    }

    fn page(&mut self, of: &Of<'_>, sockets: Sockets) {
        if let Some(listener) = sockets.source {
            let server = Server::new(listener, of.flow, of.inspector());
            self.senders.push((of.index, Box::new(server)));
        }
        if let (Some(node), Traffic::Page { connections, objects, pause }) =
            (sockets.browser, &of.flow.spec.traffic)
        {
            let objects = objects.iter().map(|bytes| bytes.0).collect();
            let page = (*connections, objects, *pause);
            let server = of.port_at(of.flow.source);
            let browser = Browser::new(of.flow, node, server, page, of.counter());
            self.receivers.push((of.index, Box::new(browser)));
        }
    }

    /// Adds a flow of packets at a constant rate. `payload` is UDP's payload: the rate, and the
    /// size of a packet.
    fn call(&mut self, kind: FlowKind, payload: (Rate, Bytes), of: &Of<'_>, sockets: Sockets) {
        let life = ActivePeriod::of(&of.flow.spec);
        if let Some(socket) = sockets.source {
            let caller = Caller::new(socket, of.clock, payload, life);
            self.punctual.push((of.index, Box::new(caller)));
        }
        if let Some(socket) = sockets.sink {
            let callee = Callee::new(kind, socket, of.clock, life, of.counter());
            self.punctual.push((of.index, Box::new(callee)));
        }
    }

    fn ping(&mut self, of: &Of<'_>, sockets: Sockets) {
        if let (Some(socket), Traffic::Ping { interval, bytes }) =
            (sockets.source, &of.flow.spec.traffic)
        {
            let life = ActivePeriod::of(&of.flow.spec);
            let gauges = (Arc::clone(of.gauges), of.index);
            let ping = Ping::new(socket, of.clock, (*interval, *bytes), life, gauges);
            self.punctual.push((of.index, Box::new(ping)));
        }
    }
}

impl Refusal {
    /// The message for a user.
    pub(super) fn says(&self, flow: &FlowPlan) -> String {
        let Self { key, error } = self;
        let hint = match Errno::from_io_error(error) {
            Some(Errno::ACCESS) if is_ping(flow) => {
                "; the namespace's net.ipv4.ping_group_range must hold our group"
            }
            Some(Errno::ADDRNOTAVAIL) if self.key == CONNECTIONS => {
                "; all local ports are taken, by connections that have ended within a minute; make \
                 its pages or objects fewer, or its `pause` longer"
            }
            _ => "",
        };
        format!("flow.{}.{key}: the kernel refuses it: {error}{hint}", flow.name)
    }

    /// The same message as an error that ends the thread.
    pub(super) fn fatal(self, flow: &FlowPlan) -> io::Error {
        io::Error::other(self.says(flow))
    }
}

fn is_ping(flow: &FlowPlan) -> bool {
    matches!(flow.spec.traffic, Traffic::Ping { .. })
}
