//! Sets up a node: kernel parameters, addresses, and routes to the other nodes.

use std::io;
use std::net::IpAddr;

use sandbox::Namespace;
use sandbox::network::{self, Prefix, Route};

use crate::LabError;
use crate::fit::{NodeParameters, RouteMetrics};
use crate::plan::{NodePlan, Plan};

/// The parameters without which there is no lab.
const NEEDED: [(&str, &str); 5] = [
    // Nodes between links forward packets.
    ("net/ipv4/ip_forward", "1"),
    // Answers may take another path. New namespaces inherit a strict filter from the host.
    ("net/ipv4/conf/all/rp_filter", "0"),
    ("net/ipv4/conf/default/rp_filter", "0"),
    ("net/ipv4/conf/all/send_redirects", "0"),
    // Each connection learns the path anew, as in the simulator.
    ("net/ipv4/tcp_no_metrics_save", "1"),
];

/// Keeps the kernel from sending IPv6 packets of its own. A kernel without IPv6 has no such
/// parameters.
const OF_IPV6: [(&str, &str); 6] = [
    ("net/ipv6/conf/all/disable_ipv6", "0"),
    ("net/ipv6/conf/default/disable_ipv6", "0"),
    ("net/ipv6/conf/default/accept_dad", "0"),
    ("net/ipv6/conf/default/accept_ra", "0"),
    ("net/ipv6/conf/default/addr_gen_mode", "1"),
    ("net/ipv6/conf/all/forwarding", "1"),
];

/// Sets the parameters of a namespace in which there is no device yet: devices inherit some.
pub(super) fn set_up(node: &Namespace, parameters: &NodeParameters) -> Result<(), LabError> {
    let set = |name: &str, value: &str| {
        let refused = |error| LabError::Machine(format!("setting {name} to {value}: {error}"));
        node.set(name, value).map_err(refused)
    };
    NEEDED.iter().try_for_each(|(name, value)| set(name, value))?;
    // Lets pings run without privilege. Only a group that exists inside may be named: our own.
    let group = rustix::process::getegid().as_raw();
    set("net/ipv4/ping_group_range", &format!("{group} {group}"))?;
    for (name, value) in OF_IPV6 {
        // If this fails, the lab has IPv4 only.
        let _ = node.set(name, value);
    }
    parameters.sysctls.iter().try_for_each(|(name, value)| set(name, value))
}

/// Makes this the default congestion control of sockets in these nodes; they may still choose
/// another one. False if the machine does not allow it: it may restrict the choice.
pub(super) fn prefer(nodes: &[Namespace], congestion: &str) -> bool {
    nodes.iter().all(|node| node.set("net/ipv4/tcp_congestion_control", congestion).is_ok())
}

/// Gives the plan's node with this index its addresses, and a route to each other node. `forced` is the congestion control
/// of all connections over these routes, whatever the socket had chosen before it connects.
pub(crate) fn address(
    node: &Namespace,
    plan: &Plan,
    index: usize,
    parameters: &NodeParameters,
    forced: Option<&str>,
) -> Result<(), LabError> {
    let done = node.run(|| {
        let own = addresses(&plan.nodes[index]);
        let with_ipv6 = network::add_address("lo", host(own[1])).is_ok();
        network::add_address("lo", host(own[0])).map_err(|error| (own[0].to_string(), error))?;
        for (other, there) in plan.nodes.iter().enumerate() {
            let Some(hop) = plan.exit(index, other) else { continue };
            let metrics = parameters.routes.get(&other).copied().unwrap_or_default();
            let device = &plan.links[hop.link()].device;
            let kinds = if with_ipv6 { 2 } else { 1 };
            for (to, source) in addresses(there).into_iter().zip(own).take(kinds) {
                let congestion = forced.map(str::to_owned);
                let route = Route { congestion, ..route(to, source, device, metrics) };
                network::add_route(&route)
                    .map_err(|error| (format!("the route to {to}"), error))?;
            }
        }
        Ok(())
    });
    let name = &plan.nodes[index].name;
    let failed = |what: String, error: io::Error| {
        LabError::Machine(format!("giving {name} {what}: {error}"))
    };
    match done {
        Ok(done) => done.map_err(|(what, error)| failed(what, error)),
        Err(error) => Err(failed("its addresses".into(), error)),
    }
}

fn route(to: IpAddr, source: IpAddr, device: &str, metrics: RouteMetrics) -> Route {
    let RouteMetrics { initial_window, min_rto_ms, quick_ack } = metrics;
    Route {
        to: host(to),
        device: device.to_owned(),
        source: Some(source),
        initial_window,
        min_rto_ms,
        quick_ack,
        congestion: None,
    }
}

fn addresses(node: &NodePlan) -> [IpAddr; 2] {
    [node.v4.into(), node.v6.into()]
}

/// The prefix of a single address.
fn host(address: IpAddr) -> Prefix {
    Prefix { address, len: if address.is_ipv4() { 32 } else { 128 } }
}
