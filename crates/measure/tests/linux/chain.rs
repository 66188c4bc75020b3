//! A row of kernels that forward to each other.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kernel::Netlink;
use netlink_packet_core::{DefaultNla, NLM_F_CREATE};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::route::{
    RouteAttribute, RouteHeader, RouteMessage, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::rule::{RuleAction, RuleAttribute, RuleMessage};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage, TcOption};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use sandbox::network::{Prefix, add_address};
use sandbox::{Namespace, drop_privileges};
use units::{Bytes, Rate};

/// A row of nodes: the first is the client, the last the server; routers are between. Link `i`
/// leads from node `i` (address 1) to the next one (address 2).
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
            two[0].join("right", &two[1], "left").unwrap();
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

    /// Gives every node routes to all links that it is not at.
    fn add_routes(&self, is_ipv6: bool) {
        (0..self.nodes.len()).for_each(|at| self.add_routes_of(at, is_ipv6));
    }

    /// Gives a node routes to all links that it is not at.
    pub(crate) fn add_routes_of(&self, at: usize, is_ipv6: bool) {
        for link in 0..self.nodes.len() - 1 {
            let next_hop = if link > at {
                address(is_ipv6, at, 2)
            } else if link + 1 < at {
                address(is_ipv6, at - 1, 1)
            } else {
                continue;
            };
            self.nodes[at].run(|| add_route(net(is_ipv6, link, 0), next_hop)).unwrap();
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

    /// Gives a node's end of a link a token bucket of the kernel, of this rate and this limit of
    /// bytes.
    pub(crate) fn add_bucket(&self, node: usize, device: &str, rate: Rate, limit: Bytes) {
        let add = || {
            let mut queue = TcMessage::with_index(if_index(device));
            queue.header.parent = TcHandle::ROOT;
            queue.attributes.push(TcAttribute::Kind("tbf".to_owned()));
            let parameters = DefaultNla::new(1, bucket(rate, limit));
            queue.attributes.push(TcAttribute::Options(vec![TcOption::Other(parameters)]));
            let message = RouteNetlinkMessage::NewQueueDiscipline(queue);
            Netlink::open().unwrap().request(message, NLM_F_CREATE).unwrap();
        };
        self.nodes[node].run(add).unwrap();
    }

    /// Sets the MTU of a node's end of a link, in bytes.
    pub(crate) fn set_mtu(&self, node: usize, device: &str, mtu: u32) {
        self.change(node, device, |link| link.attributes.push(LinkAttribute::Mtu(mtu)));
    }

    /// Takes a node's end of a link down.
    pub(crate) fn cut(&self, node: usize, device: &str) {
        self.change(node, device, |link| link.header.change_mask = LinkFlags::Up);
    }

    /// Changes a node's end of a link.
    pub(crate) fn change(
        &self,
        node: usize,
        device: &str,
        change: impl FnOnce(&mut LinkMessage) + Send,
    ) {
        let apply = || {
            let mut message = LinkMessage::default();
            message.header.index = if_index(device).cast_unsigned();
            change(&mut message);
            let message = RouteNetlinkMessage::SetLink(message);
            Netlink::open().unwrap().request(message, 0).unwrap();
        };
        self.nodes[node].run(apply).unwrap();
    }

    /// Makes a node send nothing of its own to the client; it still forwards.
    pub(crate) fn mute(&self, node: usize) {
        // Packets that do not come from another device are the node's own.
        let own = RuleAttribute::Iifname("lo".to_owned());
        self.swallow(node, 32, vec![RuleAttribute::Destination(address(false, 0, 1)), own]);
    }

    /// Makes a node drop, without an error, the IPv4 packets that match all of these attributes; of
    /// a destination, `destination_bits` count.
    pub(crate) fn swallow(&self, node: usize, destination_bits: u8, which: Vec<RuleAttribute>) {
        let apply = || {
            let mut rule = RuleMessage::default();
            rule.header.family = AddressFamily::Inet;
            rule.header.dst_len = destination_bits;
            rule.header.action = RuleAction::Blackhole;
            rule.attributes = which;
            rule.attributes.push(RuleAttribute::Priority(1));
            let message = RouteNetlinkMessage::NewRule(rule);
            Netlink::open().unwrap().request(message, NLM_F_CREATE).unwrap();
        };
        self.nodes[node].run(apply).unwrap();
    }

    /// Runs an action in the client's namespace, without privileges.
    pub(crate) fn at_client<T: Send>(&self, action: impl FnOnce() -> T + Send) -> T {
        let unprivileged = || {
            drop_privileges().unwrap();
            action()
        };
        self.nodes[0].run(unprivileged).unwrap()
    }
}

/// `struct tc_tbf_qopt` of Linux `include/uapi/linux/pkt_sched.h`: two `tc_ratespec` (for what the rate
/// is, and no peak rate), then limit, bucket and the largest packet. The kernel needs no table of
/// times where the link layer is Ethernet (1).
fn bucket(rate: Rate, limit: Bytes) -> Vec<u8> {
    const ETHERNET: u8 = 1;
    /// The unit of the largest packet's time: 64 ns (`/proc/net/psched`).
    const TICK: u64 = 64;
    let burst = (Bytes(3_000) / rate).as_nanos() / TICK;
    let bytes_per_sec = rate.bits_per_sec() / 8;
    let numbers = |numbers: [u64; 3]| numbers.map(|number| (number as u32).to_ne_bytes()).concat();
    let unlimited = [0; 12].to_vec();
    let rate = [&[0, ETHERNET, 0, 0, 0, 0, 0, 0][..], &(bytes_per_sec as u32).to_ne_bytes()];
    [rate.concat(), unlimited, numbers([limit.0, burst, 0])].concat()
}

fn if_index(device: &str) -> i32 {
    let netlink = Netlink::open().unwrap();
    let index = (1..100).find(|it| netlink.device_name(*it).unwrap().as_deref() == Some(device));
    index.unwrap().cast_signed()
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
