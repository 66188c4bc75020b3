//! A path made of network namespaces, addressed, routed and shaped by the kernel. It ends with its
//! process, because no namespace has a name.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::process::{Command, Stdio};

use live::{Namespace, Port, PortKind, PortOptions};
use units::Bytes;

use super::delay::{self, Held};
use super::names::{LEFT, RIGHT};
use super::path::Path;
use super::shape;

/// The neighbour's link to the first router.
const NEIGHBOUR_LINK: usize = 100;
/// The first router's device towards the neighbour.
const SIDE: &str = "side";

/// The network stacks of a path.
pub(crate) struct Network {
    /// The nodes from the client to the server.
    pub(crate) nodes: Vec<Namespace>,
    pub(crate) neighbour: Option<Namespace>,
    pub(crate) server: IpAddr,
}

impl Network {
    /// Makes the network. The delay line runs from now on.
    pub(crate) fn new(path: &Path) -> Result<Self, String> {
        let stack = || Namespace::new().map_err(|error| format!("a namespace: {error}"));
        let nodes: Vec<Namespace> =
            (0..=path.server()).map(|_| stack()).collect::<Result<_, _>>()?;
        let neighbour = path.neighbour.map(|_| stack()).transpose()?;
        let network = Self { nodes, neighbour, server: address(path, path.routers, 2) };
        network.set().map_err(|error| format!("a setting of the kernel: {error}"))?;
        network.join(path)?;
        for node in 0..network.nodes.len() {
            batch(&network.nodes[node], "ip", &["-batch", "-"], &addresses(path, node))?;
        }
        if let Some(neighbour) = &network.neighbour {
            batch(neighbour, "ip", &["-batch", "-"], &of_neighbour(path))?;
        }
        for (node, namespace) in network.nodes.iter().enumerate() {
            let rules = shape::rules(path, node);
            batch(namespace, "nft", &["-f", "-"], &rules)?;
            batch(namespace, "tc", &["-batch", "-"], &shape::queues(path, node))?;
        }
        Ok(network)
    }

    fn set(&self) -> std::io::Result<()> {
        for namespace in self.nodes.iter().chain(&self.neighbour) {
            namespace.set("net/ipv4/ip_forward", "1")?;
            namespace.set("net/ipv6/conf/all/forwarding", "1")?;
            namespace.set("net/ipv6/conf/default/accept_dad", "0")?;
            // As systemd sets it (sysctl.d/50-default.conf); the kernel's own default allows no
            // group.
            namespace.set("net/ipv4/ping_group_range", "0 2147483647")?;
        }
        Ok(())
    }

    /// Makes the links: pairs of devices, and one delay line.
    fn join(&self, path: &Path) -> Result<(), String> {
        for (link, pair) in self.nodes.windows(2).enumerate() {
            let [from, to] = pair else { continue };
            match link == path.delay_link && path.rtt_ms > 0.0 {
                true => delay_line(path, from, to)?,
                false => veth(from, RIGHT, to, LEFT)?,
            }
        }
        match &self.neighbour {
            Some(neighbour) => veth(&self.nodes[1], SIDE, neighbour, LEFT),
            None => Ok(()),
        }
    }
}

fn veth(from: &Namespace, here: &str, to: &Namespace, there: &str) -> Result<(), String> {
    from.join(here, to, there).map_err(|error| format!("a pair of devices: {error}"))
}

fn delay_line(path: &Path, from: &Namespace, to: &Namespace) -> Result<(), String> {
    // TUN devices are in the stacks of both nodes, so no third stack is needed.
    let options =
        PortOptions { kind: Some(PortKind::Tun), mtu: Bytes(1500), super_packets: path.offload };
    let port = |namespace, name| {
        Port::open(namespace, namespace, name, options).map_err(|error| error.to_string())
    };
    let ends = [port(from, RIGHT)?, port(to, LEFT)?];
    let held = Held::of(path.rtt_ms / 2.0, path.jitter_ms);
    delay::start(ends, held, path.seed ^ path.index)
}

/// The address of the last router, as the client reaches it.
pub(crate) fn last_router(path: &Path) -> IpAddr {
    address(path, path.routers - 1, 2)
}

/// An address on a link; `end` 1 is towards the client.
fn address(path: &Path, link: usize, end: u16) -> IpAddr {
    match path.ipv6 {
        true => Ipv6Addr::new(0xfd77, 0, 0, link as u16, 0, 0, 0, end).into(),
        false => Ipv4Addr::new(10, 77, link as u8, end as u8).into(),
    }
}

/// The addresses and routes of a node, as `ip -batch` reads them.
fn addresses(path: &Path, node: usize) -> String {
    let (len, none) = if path.ipv6 { (64, " nodad") } else { (24, "") };
    let mut lines = Vec::new();
    let mut own = |link, end, device: &str| {
        let address = address(path, link, end);
        lines.push(format!("addr add {address}/{len} dev {device}{none}"));
        if !path.offload {
            lines.push(format!("link set dev {device} gso_max_segs 1"));
        }
    };
    if node <= path.routers {
        own(node, 1, RIGHT);
    }
    if node > 0 {
        own(node - 1, 2, LEFT);
    }
    if node == 1 && path.neighbour.is_some() {
        own(NEIGHBOUR_LINK, 1, SIDE);
    }
    // In a namespace that is not the machine's own, only routes may choose a congestion control.
    let control = if node == path.server() { &path.congestion } else { "cubic" };
    let mut route = |link: usize, by: usize, end| {
        let (to, via) = (network_of(path, link), address(path, by, end));
        lines.push(format!("route add {to}/{len} via {via} congctl lock {control}"));
    };
    for link in node + 1..=path.routers {
        route(link, node, 2);
    }
    for link in 0..node.saturating_sub(1) {
        route(link, node - 1, 1);
    }
    match node {
        _ if path.neighbour.is_none() => {}
        0 => route(NEIGHBOUR_LINK, 0, 2),
        1 => {}
        _ => route(NEIGHBOUR_LINK, node - 1, 1),
    }
    lines.join("\n") + "\n"
}

fn of_neighbour(path: &Path) -> String {
    let (len, none) = if path.ipv6 { (64, " nodad") } else { (24, "") };
    let (own, router) = (address(path, NEIGHBOUR_LINK, 2), address(path, NEIGHBOUR_LINK, 1));
    let mut lines = vec![
        format!("addr add {own}/{len} dev {LEFT}{none}"),
        format!("route add default via {router} congctl lock cubic"),
    ];
    if !path.offload {
        lines.push(format!("link set dev {LEFT} gso_max_segs 1"));
    }
    lines.join("\n") + "\n"
}

fn network_of(path: &Path, link: usize) -> IpAddr {
    address(path, link, 0)
}

/// Runs a program in a namespace with these lines as its input. An empty text does nothing.
pub(crate) fn batch(
    namespace: &Namespace,
    program: &str,
    arguments: &[&str],
    lines: &str,
) -> Result<(), String> {
    if lines.trim().is_empty() {
        return Ok(());
    }
    let wrong = |why: &dyn std::fmt::Display| format!("{program}: {why}, given:\n{lines}");
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = namespace.run(|| command.spawn()).and_then(|child| child);
    let mut child = child.map_err(|error| wrong(&error))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(lines.as_bytes()).map_err(|error| wrong(&error))?;
    }
    let output = child.wait_with_output().map_err(|error| wrong(&error))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(wrong(&String::from_utf8_lossy(&output.stderr).trim())),
    }
}
