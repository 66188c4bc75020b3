//! The nodes of a scenario, their addresses, and the ways between them.

mod device;
mod exits;

use std::net::{Ipv4Addr, Ipv6Addr};

use indexmap::IndexSet;
use scenario::{Scenario, Traffic};
use units::{DirectionId, Rng, Way};

use exits::Exits;

/// The port of the first flow; the others follow. Senders have those from 32768 on.
const FIRST_PORT: u16 = 2000;
/// The prefix of the lab's IPv6 addresses (RFC 4193), which other networks are unlikely to use.
const UNIQUE_LOCAL: [u16; 3] = [0xfd75, 0x6e62, 0x6c6f];

/// A scenario as a network of stacks.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The nodes, in the order in which the links name them.
    pub(crate) nodes: Vec<NodePlan>,
    /// The flows of the scenario, with each member of a `count` on its own.
    pub(crate) flows: Vec<FlowPlan>,
    /// The links of the scenario.
    pub(crate) links: Vec<LinkPlan>,
    exits: Exits,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct NodePlan {
    pub(crate) name: String,
    /// The IPv4 address: 10.0.0.1 and so on, as in the simulator's captures.
    pub(crate) v4: Ipv4Addr,
    /// The IPv6 address: fd75:6e62:6c6f::1 and so on.
    pub(crate) v6: Ipv6Addr,
}

/// A link between two nodes.
#[derive(Clone, Debug)]
pub(crate) struct LinkPlan {
    /// The name of its devices: that of the link, as far as the kernel allows.
    pub(crate) device: String,
    /// Index of the node from which packets go forward.
    pub(crate) from: usize,
    /// Index of the node at the far end.
    pub(crate) to: usize,
}

/// A flow between two nodes.
#[derive(Clone, Debug)]
pub(crate) struct FlowPlan {
    pub(crate) name: String,
    pub(crate) spec: scenario::Flow,
    /// Index of the node that sends the data.
    pub(crate) source: usize,
    /// Index of the node that receives it.
    pub(crate) sink: usize,
    /// The port on which the receiver listens (of a page: the server), or the identifier of a ping.
    /// Packets of the flow are recognised by it, since no two flows share one.
    pub(crate) port: u16,
    /// The randomness of the flow's application: that of the simulator.
    pub(crate) rng: Rng,
}

impl FlowPlan {
    /// Index of the node that opens the flow's connections: the one with the browsers, or else the
    /// source.
    pub(crate) fn opener(&self) -> usize {
        if self.is_web() { self.sink } else { self.source }
    }

    /// Index of the node that accepts the flow's connections.
    pub(crate) fn acceptor(&self) -> usize {
        if self.is_web() { self.source } else { self.sink }
    }

    /// True if the sink requests the data that the source sends.
    pub(crate) fn is_web(&self) -> bool {
        matches!(self.spec.traffic, Traffic::Page { .. } | Traffic::Packmime { .. })
    }
}

impl Plan {
    /// The plan of a scenario that is [fit](crate::fit()).
    pub(crate) fn of(scenario: &Scenario) -> Self {
        Self::in_network(scenario, 0)
    }

    /// The plan of a scenario that is [fit](crate::fit()), with addresses 10.`network`.0.1 and
    /// fd75:6e62:6c6f:`network`::1 and so on, which differ from those of a lab around this one that
    /// has another number.
    pub(crate) fn in_network(scenario: &Scenario, network: u8) -> Self {
        let names: IndexSet<&str> =
            scenario.links.iter().flat_map(|link| [link.from.as_str(), link.to.as_str()]).collect();
        // In a checked scenario, the ends of each flow are nodes.
        let index = |name: &str| names.get_index_of(name).unwrap_or_default();
        let flows = flows(scenario, index);
        let devices = device::names(scenario.links.iter().map(|link| link.name.as_str()));
        let ends = scenario.links.iter().map(|link| (index(&link.from), index(&link.to)));
        let links: Vec<_> =
            ends.zip(devices).map(|((from, to), device)| LinkPlan { device, from, to }).collect();
        let routes = scenario.routes();
        let members = scenario.flows.iter().zip(&routes);
        let routes = members.flat_map(|(flow, route)| (0..flow.count).map(move |_| route));
        Self {
            nodes: (0..).zip(&names).map(|(place, name)| node(name, network, place)).collect(),
            exits: Exits::of(names.len(), &links, flows.iter().zip(routes)),
            flows,
            links,
        }
    }

    /// The link by which packets for `destination` leave `node`; `None` if `node` is the
    /// destination, or if no link leads there.
    pub(crate) fn exit(&self, node: usize, destination: usize) -> Option<DirectionId> {
        self.exits.at(node, destination)
    }

    /// The directions that packets cross from one node to another.
    pub(crate) fn path(&self, from: usize, to: usize) -> Vec<DirectionId> {
        let mut node = from;
        let mut path = Vec::new();
        while let Some(hop) = self.exit(node, to) {
            let link = &self.links[hop.link()];
            path.push(hop);
            node = match hop.way() {
                Way::Forward => link.to,
                Way::Reverse => link.from,
            };
        }
        path
    }
}

fn node(name: &str, network: u8, place: u32) -> NodePlan {
    let base = Ipv4Addr::new(10, network, 0, 1).to_bits();
    let [high, low] = [(place + 1) >> 16, (place + 1) & 0xffff].map(|half| half as u16);
    let [a, b, c] = UNIQUE_LOCAL;
    NodePlan {
        name: name.to_owned(),
        // There are never more nodes than this address range holds.
        v4: Ipv4Addr::from_bits(base + place),
        v6: Ipv6Addr::new(a, b, c, network.into(), 0, 0, high, low),
    }
}

/// True if this is the address of a node of any lab.
pub(crate) fn is_ours(address: Ipv6Addr) -> bool {
    address.segments().starts_with(&UNIQUE_LOCAL)
}

fn flows(scenario: &Scenario, index: impl Fn(&str) -> usize) -> Vec<FlowPlan> {
    let members = scenario.flows.iter().flat_map(|flow| (0..flow.count).map(move |_| flow));
    let names = scenario.flow_names();
    let numbered = members.zip(names).zip(scenario.flow_randomness()).zip(FIRST_PORT..);
    numbered
        .map(|(((flow, name), rng), port)| FlowPlan {
            name,
            source: index(&flow.from),
            sink: index(&flow.to),
            spec: flow.clone(),
            port,
            rng,
        })
        .collect()
}

/// Index of the flow that has this port, or this identifier of a ping; `None` if none of `flows`
/// has it.
pub(crate) fn flow_of_port(port: u16, flows: usize) -> Option<usize> {
    port.checked_sub(FIRST_PORT).map(usize::from).filter(|flow| *flow < flows)
}

#[cfg(test)]
mod tests;
