//! The sockets of all flows, and the threads that serve them.

use std::net::SocketAddrV4;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use live::{Clock, Namespace};
use scenario::Traffic;
use workload::{Application, Workload};

use super::call::Call;
use super::connections::{Connections, Endpoints};
use super::gauges::{FlowGauges, OwnGauges};
use super::open;
use super::ping::Ping;
use super::refusal::Refusal;
use super::worker::SocketFlow;
use crate::LabError;
use crate::descriptors::Descriptors;
use crate::plan::{FlowPlan, Plan};

/// The sockets that a flow needs from the beginning.
#[derive(Default)]
pub(super) struct Sockets {
    /// The socket that sends datagrams; `None` for a flow over TCP.
    source: Option<OwnedFd>,
    /// The socket that receives datagrams, or accepts connections; `None` for a ping, which the
    /// kernel answers.
    sink: Option<OwnedFd>,
    /// The node that opens the connections of a flow over TCP.
    opener: Option<Arc<Namespace>>,
}

/// The flows that one thread serves, each with its index.
pub(super) type ThreadFlows = Vec<(usize, Box<dyn SocketFlow>)>;

/// Opens the sockets of all flows.
pub(super) fn open(plan: &Plan, nodes: &[Namespace]) -> Result<Vec<Sockets>, LabError> {
    // The maximum, since a page may have thousands of connections.
    Descriptors::raise_to(u64::MAX);
    let mut all: Vec<_> = plan.flows.iter().map(|_| Sockets::default()).collect();
    for (index, node) in nodes.iter().enumerate() {
        let opened = node.run(|| {
            let here = Namespace::current().map(Arc::new);
            let here = here.map_err(|error| LabError::Machine(format!("network: {error}")))?;
            plan.flows.iter().zip(&mut all).try_for_each(|(flow, sockets)| {
                open_at(index, &here, plan, flow, sockets)
                    .map_err(|why| LabError::Machine(why.says(flow)))
            })
        });
        opened.map_err(|error| LabError::Machine(format!("network namespace: {error}")))??;
    }
    Ok(all)
}

/// Opens the sockets of a flow at this node. The calling thread must be in the node's namespace.
fn open_at(
    node: usize,
    here: &Arc<Namespace>,
    plan: &Plan,
    flow: &FlowPlan,
    sockets: &mut Sockets,
) -> Result<(), Refusal> {
    let to = plan.nodes[flow.sink].v4;
    let (is_source, is_sink) = (flow.source == node, flow.sink == node);
    match &flow.spec.traffic {
        Traffic::Cbr { .. } | Traffic::Voip { .. } => {
            if is_source {
                sockets.source = Some(open::datagram_source(flow, to)?);
            }
            if is_sink {
                sockets.sink = Some(open::datagram_sink(flow, to)?);
            }
        }
        Traffic::Ping { .. } if is_source => sockets.source = Some(open::pinger(flow, to)?),
        Traffic::Ping { .. } => {}
        _ => {
            if flow.opener() == node {
                sockets.opener = Some(Arc::clone(here));
            }
            if flow.acceptor() == node {
                sockets.sink = Some(open::listener(flow, plan.nodes[node].v4)?);
            }
        }
    }
    Ok(())
}

/// The threads, each with a name and its flows. The flows over TCP are dealt to two of them. The
/// third, which is never busy for long, has the traffic that must be on time.
pub(super) fn thread_flows(
    plan: Plan,
    sockets: Vec<Sockets>,
    gauges: &Arc<[FlowGauges]>,
    clock: Clock,
) -> [(&'static str, ThreadFlows); 3] {
    let (mut even, mut odd, mut punctual) =
        (ThreadFlows::new(), ThreadFlows::new(), ThreadFlows::new());
    for (index, (flow, sockets)) in plan.flows.iter().zip(sockets).enumerate() {
        let gauges = OwnGauges { all: Arc::clone(gauges), flow: index };
        let made = match Workload::new(&flow.spec, flow.rng.clone()) {
            Workload::Stream(stream) => connections(*stream, &plan, flow, sockets, gauges),
            Workload::Page(page) => connections(*page, &plan, flow, sockets, gauges),
            Workload::Web(web) => connections(*web, &plan, flow, sockets, gauges),
            Workload::Cbr(cbr) => call(*cbr, sockets, clock, gauges),
            Workload::Ping(ping) => pinger(*ping, sockets, clock, gauges),
        };
        let Some(made) = made else { continue };
        let thread = match (flow.spec.traffic.is_tcp(), even.len() > odd.len()) {
            (false, _) => &mut punctual,
            (true, true) => &mut odd,
            (true, false) => &mut even,
        };
        thread.push((index, made));
    }
    [("connections", even), ("connections too", odd), ("punctual", punctual)]
}

fn connections(
    application: impl Application + Send + 'static,
    plan: &Plan,
    flow: &FlowPlan,
    sockets: Sockets,
    gauges: OwnGauges,
) -> Option<Box<dyn SocketFlow>> {
    let to = SocketAddrV4::new(plan.nodes[flow.acceptor()].v4, flow.port);
    let endpoints = Endpoints { listener: sockets.sink?, to, opener: sockets.opener? };
    Some(Box::new(Connections::new(application, flow, endpoints, gauges)))
}

fn call(
    application: workload::Cbr,
    sockets: Sockets,
    clock: Clock,
    gauges: OwnGauges,
) -> Option<Box<dyn SocketFlow>> {
    let (source, sink) = (sockets.source?, sockets.sink?);
    let packet = vec![0; application.packet().0 as usize];
    Some(Box::new(Call { application, source, sink, clock, packet, gauges }))
}

fn pinger(
    application: workload::Ping,
    sockets: Sockets,
    clock: Clock,
    gauges: OwnGauges,
) -> Option<Box<dyn SocketFlow>> {
    Some(Box::new(Ping::new(sockets.source?, clock, application, gauges)))
}
