//! The namespaces and links of a plan, ready for traffic.

mod links;
mod node;

use std::io;

use live::{Clock, Fabric, Health, Namespace, PortKind};
use scenario::Scenario;
use units::Bytes;

use crate::fit::{NodeParameters, node_parameters};
use crate::plan::Plan;
use crate::recorder::Recorder;
use crate::{LabError, Options};
pub(crate) use node::address;

/// A bound on the memory of packets that wait or travel. Unused memory is not allocated.
const MOST_MEMORY: Bytes = Bytes(1 << 30);

/// Everything that a run needs besides the traffic. Dropping it removes everything.
pub(crate) struct Stage {
    /// The nodes, in the plan's order.
    pub(crate) nodes: Vec<Namespace>,
    /// The loop, with all links.
    pub(crate) fabric: Fabric,
    /// The kind of the ports.
    pub(crate) ports: PortKind,
    /// The congestion control that routes force on sockets, because the machine lets no namespace
    /// prefer it.
    pub(crate) forced: Option<String>,
}

impl Stage {
    /// Makes namespaces, devices, addresses, routes and kernel parameters.
    pub(crate) fn build(
        scenario: &Scenario,
        plan: &Plan,
        options: &Options<'_>,
    ) -> Result<Self, LabError> {
        let parameters = node_parameters(plan)?;
        let root_namespace = namespace()?;
        let nodes = namespaces(&parameters)?;
        let mut fabric = Fabric::new(MOST_MEMORY)
            .map_err(|error| LabError::Machine(format!("cannot make an epoll: {error}")))?;
        let ports = links::add(scenario, plan, &nodes, &root_namespace, options, &mut fabric)?;
        let is_forced = |name: &&String| !node::prefer(&nodes, name);
        let forced = options.congestion.as_ref().filter(is_forced).cloned();
        for (index, (node, parameters)) in nodes.iter().zip(&parameters).enumerate() {
            node::address(node, plan, index, parameters, forced.as_deref())?;
        }
        Ok(Self { nodes, fabric, ports, forced })
    }

    /// Moves packets on the calling thread until `watch` ends it. The thread has real-time priority
    /// where the machine allows that, if the loop is sure to pause.
    ///
    /// # Errors
    /// If a device is gone.
    pub(crate) fn run(&mut self, clock: Clock, watch: &mut Recorder) -> io::Result<Health> {
        let is_real_time = self.fabric.has_limit_everywhere() && sandbox::use_real_time().is_ok();
        if !is_real_time {
            // Without either, the loop is late more often, and the verdict says so.
            let _ = sandbox::use_short_turns();
        }
        self.fabric.run(clock, watch)
    }
}

/// A namespace for each node, with its kernel parameters, and no device in it yet.
pub(crate) fn namespaces(parameters: &[NodeParameters]) -> Result<Vec<Namespace>, LabError> {
    let node = |parameters| {
        let node = namespace()?;
        node::set_up(&node, parameters)?;
        Ok(node)
    };
    parameters.iter().map(node).collect()
}

fn namespace() -> Result<Namespace, LabError> {
    Namespace::new().map_err(|error| no_namespace(&error))
}

fn no_namespace(error: &io::Error) -> LabError {
    LabError::Machine(format!(
        "making a network namespace: {error}; `unbloat lab --check` says what this machine allows"
    ))
}
