//! Runs the flows of a scenario over a network that the caller has built, for comparison.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use live::{Clock, Namespace};
use results::{ClockKind, Document};
use scenario::Scenario;
use units::Time;

use crate::fit::node_parameters;
use crate::plan::Plan;
use crate::run::READY;
use crate::stage;
use crate::traffic::Traffic;
use crate::{LabError, fit};

/// A node of a scenario, before it is joined to others.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// The namespace with its stack.
    pub namespace: &'a Namespace,
    /// The address, which the node gets when all nodes are joined.
    pub address: Ipv4Addr,
}

/// Runs the flows of a scenario between nodes that `join` has joined in place of our links. In each
/// node, `join` must make a device with the name of its link. The value that `join` returns is kept
/// until the end. The document has flows only. Call [`isolate`](crate::isolate) first.
///
/// # Errors
/// As [`run`](crate::run()), and if `join` fails.
pub fn flows_over<T>(
    scenario: &Scenario,
    join: impl FnOnce(&[Node<'_>]) -> io::Result<T>,
) -> Result<Document, LabError> {
    fit(scenario)?;
    let plan = Plan::of(scenario);
    let parameters = node_parameters(&plan)?;
    let nodes = stage::namespaces(&parameters)?;
    let named = nodes.iter().zip(&plan.nodes);
    let joined: Vec<Node<'_>> =
        named.map(|(namespace, node)| Node { namespace, address: node.v4 }).collect();
    let _joint =
        join(&joined).map_err(|error| LabError::Machine(format!("joining the nodes: {error}")))?;
    for (index, (namespace, parameters)) in nodes.iter().zip(&parameters).enumerate() {
        stage::address(namespace, &plan, index, parameters, None)?;
    }
    let traffic = Traffic::prepare(&plan, &nodes)?;
    let (warm, end) = (Time::ZERO + scenario.warmup, Time::ZERO + scenario.duration);
    let stop = Arc::new(AtomicBool::new(false));
    let flows = traffic.start(Clock::starting_in(READY), warm, end, stop)?.finish()?;
    let mut document = Document::new(scenario.to_json());
    document.clock = Some(ClockKind::Real);
    let results = flows.into_iter().map(|flow| flow.result);
    document.flows = scenario.flow_names().into_iter().zip(results).collect();
    Ok(document)
}
