//! Tries ports and sockets.

use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};

use live::{Namespace, Port, PortKind, PortOptions};
use rustix::net::sockopt::{set_tcp_congestion, tcp_congestion};
use rustix::net::{AddressFamily, SocketType, bind, ipproto, socket};
use units::Bytes;

use super::{Finding, refused, said};

/// The congestion controls to try, each with true if the lab needs it. The scenarios use the first
/// two; BBR is often compared with them.
const CONGESTION: [(&str, bool); 3] = [("cubic", true), ("reno", true), ("bbr", false)];

/// Tries all abilities in the empty namespace `node`. The near ends of devices may lie in
/// `root_namespace`.
pub(super) fn all(node: &Namespace, root_namespace: &Namespace) -> Vec<Finding> {
    let mut findings = vec![packet_port(node, root_namespace), tun_port(node, root_namespace)];
    findings.extend(CONGESTION.map(|(name, is_needed)| congestion(node, name, is_needed)));
    findings.push(ping(node));
    findings.push(ipv6(node));
    findings
}

fn port(node: &Namespace, root_namespace: &Namespace, kind: PortKind) -> Result<(), String> {
    let options = PortOptions { kind: Some(kind), mtu: Bytes(1500), super_packets: true };
    Port::open(node, root_namespace, "check", options).map(drop).map_err(|error| error.to_string())
}

fn packet_port(node: &Namespace, root_namespace: &Namespace) -> Finding {
    let outcome = port(node, root_namespace, PortKind::Packet)
        .map(|()| "veth with AF_PACKET and virtio-net headers".into())
        .map_err(|error| format!("{error}; the kernel needs veth and af_packet (modprobe both)"));
    Finding::needed("AF_PACKET port", outcome)
}

fn tun_port(node: &Namespace, root_namespace: &Namespace) -> Finding {
    let outcome = port(node, root_namespace, PortKind::Tun)
        .map(|()| "the faster of the two kinds of ports".into())
        .map_err(|error| format!("{error}; AF_PACKET ports work too, a little slower"));
    Finding::welcome("TUN port", outcome)
}

/// The ability if only root may choose the congestion control.
const RESTRICTED: &str = "scenarios may choose it; for a command, the lab sets it on the routes, \
    because only root may choose it here (`sysctl net.ipv4.tcp_allowed_congestion_control`)";

/// Tries whether a socket in a namespace may have this congestion control, rather than whether the
/// kernel lists it.
fn congestion(node: &Namespace, name: &str, is_needed: bool) -> Finding {
    let attempt = || {
        let listener = TcpListener::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0))?;
        set_tcp_congestion(&listener, name)?;
        Ok(tcp_congestion(&listener)?)
    };
    let remedy = format!("`modprobe tcp_{name}` would allow it");
    let outcome = match node.run(attempt).flatten() {
        // As for a command: where the machine restricts the choice, no namespace may prefer it.
        Ok(got) if got == name => match node.set("net/ipv4/tcp_congestion_control", name) {
            Ok(()) => said("scenarios and commands may choose it"),
            Err(_) => said(RESTRICTED),
        },
        Ok(got) => Err(format!("a socket that asked for it got {got}; {remedy}")),
        Err(error) => Err(refused(&error, &remedy)),
    };
    Finding { what: name.into(), outcome, is_needed }
}

/// Tries the kind of socket with which an unprivileged user may ping.
fn ping(node: &Namespace) -> Finding {
    let group = rustix::process::getegid().as_raw();
    let attempt = || {
        let icmp = Some(ipproto::ICMP);
        let socket = socket(AddressFamily::INET, SocketType::DGRAM, icmp)?;
        Ok(bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 2000))?)
    };
    let allowed = node.set("net/ipv4/ping_group_range", &format!("{group} {group}"));
    let outcome = allowed
        .and_then(|()| node.run(attempt).flatten())
        .map(|()| "pings need no privilege".into())
        .map_err(|error| refused(&error, "flows of pings cannot be run without"));
    Finding::needed("ICMP socket", outcome)
}

fn ipv6(node: &Namespace) -> Finding {
    let outcome = node
        .set("net/ipv6/conf/all/disable_ipv6", "0")
        .map(|()| "nodes have addresses of both kinds".into())
        .map_err(|error| refused(&error, "the lab has IPv4 alone; `ipv6.disable=0` at boot"));
    Finding::welcome("IPv6", outcome)
}
