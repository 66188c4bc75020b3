//! Tries ports and sockets.

use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};

use live::{Namespace, Port, PortKind, PortOptions};
use rustix::net::sockopt::{set_tcp_congestion, tcp_congestion};
use rustix::net::{AddressFamily, SocketType, bind, ipproto, socket};
use units::Bytes;

use super::{Finding, refused, said};

/// What the scenarios ask for, and what people like to compare with it.
const CONGESTION: [(&str, bool); 3] = [("cubic", true), ("reno", true), ("bbr", false)];

/// In an empty namespace, and with one in which our ends of devices may lie.
pub(super) fn all(node: &Namespace, workshop: &Namespace) -> Vec<Finding> {
    let mut findings = vec![packet_port(node, workshop), tun_port(node, workshop)];
    findings.extend(CONGESTION.map(|(name, is_needed)| congestion(node, name, is_needed)));
    findings.push(ping(node));
    findings.push(ipv6(node));
    findings
}

fn port(node: &Namespace, workshop: &Namespace, kind: PortKind) -> Result<(), String> {
    let options = PortOptions { kind: Some(kind), mtu: Bytes(1500), super_packets: true };
    Port::open(node, workshop, "check", options).map(drop).map_err(|error| error.to_string())
}

fn packet_port(node: &Namespace, workshop: &Namespace) -> Finding {
    let outcome = port(node, workshop, PortKind::Packet)
        .map(|()| "veth with AF_PACKET and virtio-net headers".into())
        .map_err(|error| format!("{error}; the kernel needs veth and af_packet (modprobe both)"));
    Finding::needed("AF_PACKET port", outcome)
}

fn tun_port(node: &Namespace, workshop: &Namespace) -> Finding {
    let outcome = port(node, workshop, PortKind::Tun)
        .map(|()| "the faster of the two kinds of ports".into())
        .map_err(|error| format!("{error}; AF_PACKET ports do as well, a little slower"));
    Finding::welcome("TUN port", outcome)
}

/// Not whether it is listed, but whether a socket in a namespace may have it.
fn congestion(node: &Namespace, name: &str, is_needed: bool) -> Finding {
    let attempt = || {
        let listener = TcpListener::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0))?;
        set_tcp_congestion(&listener, name)?;
        Ok(tcp_congestion(&listener)?)
    };
    let remedy = format!("`modprobe tcp_{name}` would allow it");
    let outcome = match node.run(attempt).flatten() {
        Ok(got) if got == name => said("sockets may choose it"),
        Ok(got) => Err(format!("a socket that asked for it got {got}; {remedy}")),
        Err(error) => Err(refused(&error, &remedy)),
    };
    Finding { what: name.into(), outcome, is_needed }
}

/// The kind of socket with which a user may ping.
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
