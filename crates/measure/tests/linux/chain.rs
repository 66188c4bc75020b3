//! A row of kernels that forward to each other.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kernel::Netlink;
use live::network::{Prefix, add_address, add_pair};
use live::{Namespace, renounce};
use netlink_packet_core::NLM_F_CREATE;
use netlink_packet_route::route::{
    RouteAttribute, RouteHeader, RouteMessage, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};

/// The first node is the client, the last one the server; routers stand between. Link `i` leads from
/// node `i` (address 1) to the next one (address 2).
pub(crate) struct Chain {
    pub(crate) nodes: Vec<Namespace>,
}

/// The address of a link's end.
pub(crate) fn address(is_ipv6: bool, link: usize, end: u8) -> IpAddr {
    let net = link as u8;
    if is_ipv6 {
        Ipv6Addr::new(0xfd00, net.into(), 0, 0, 0, 0, 0, end.into()).into()
    } else {
        Ipv4Addr::new(10, 0, net, end).into()
    }
}

impl Chain {
    pub(crate) fn new(routers: usize) -> Self {
        let nodes: Vec<Namespace> = (0..routers + 2).map(|_| Namespace::new().unwrap()).collect();
        for node in &nodes {
            node.set("net/ipv4/ip_forward", "1").unwrap();
            node.set("net/ipv6/conf/all/forwarding", "1").unwrap();
        }
        for (link, two) in nodes.windows(2).enumerate() {
            two[0].run(|| add_pair("right", (&two[1], "left")).unwrap()).unwrap();
            for is_ipv6 in [false, true] {
                for (node, device, end) in [(&two[0], "right", 1), (&two[1], "left", 2)] {
                    let prefix = net(is_ipv6, link, end);
                    node.run(|| add_address(device, prefix).unwrap()).unwrap();
                }
            }
        }
        let chain = Self { nodes };
        for is_ipv6 in [false, true] {
            chain.add_routes(is_ipv6);
        }
        chain
    }

    /// Every node knows the way to every link that it is not at.
    fn add_routes(&self, is_ipv6: bool) {
        let links = self.nodes.len() - 1;
        for (at, node) in self.nodes.iter().enumerate() {
            for link in 0..links {
                let next_hop = if link > at {
                    address(is_ipv6, at, 2)
                } else if link + 1 < at {
                    address(is_ipv6, at - 1, 1)
                } else {
                    continue;
                };
                node.run(|| add_route(net(is_ipv6, link, 0), next_hop)).unwrap();
            }
        }
    }

    /// The server's address.
    pub(crate) fn server(&self, is_ipv6: bool) -> IpAddr {
        address(is_ipv6, self.nodes.len() - 2, 2)
    }

    /// Gives the client's interface a queue of its own.
    pub(crate) fn add_queue(&self, kind: &str) {
        let add = || {
            let netlink = Netlink::open().unwrap();
            let index = if_index("right");
            let mut queue = TcMessage::with_index(index);
            queue.header.parent = TcHandle::ROOT;
            queue.attributes.push(TcAttribute::Kind(kind.to_owned()));
            let message = RouteNetlinkMessage::NewQueueDiscipline(queue);
            netlink.request(message, NLM_F_CREATE).unwrap();
        };
        self.nodes[0].run(add).unwrap();
    }

    /// Does something at the client's, without any rights.
    pub(crate) fn at_client<T: Send>(&self, action: impl FnOnce() -> T + Send) -> T {
        let unprivileged = || {
            renounce().unwrap();
            action()
        };
        self.nodes[0].run(unprivileged).unwrap()
    }
}

fn if_index(device: &str) -> i32 {
    let text = fs::read_to_string("/proc/thread-self/net/dev_mcast").unwrap();
    let line = text.lines().find(|line| line.contains(device)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

fn net(is_ipv6: bool, link: usize, end: u8) -> Prefix {
    Prefix { address: address(is_ipv6, link, end), len: if is_ipv6 { 64 } else { 24 } }
}

fn add_route(to: Prefix, next_hop: IpAddr) {
    let mut message = RouteMessage::default();
    message.header.address_family =
        if to.address.is_ipv6() { AddressFamily::Inet6 } else { AddressFamily::Inet };
    message.header.destination_prefix_length = to.len;
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.header.protocol = RouteProtocol::Static;
    message.header.scope = RouteScope::Universe;
    message.header.kind = RouteType::Unicast;
    message.attributes = vec![
        RouteAttribute::Destination(to.address.into()),
        RouteAttribute::Gateway(next_hop.into()),
    ];
    let message = RouteNetlinkMessage::NewRoute(message);
    Netlink::open().unwrap().request(message, NLM_F_CREATE).unwrap();
}
