//! Addresses and routes of the namespaces in which a command runs.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use sandbox::network::{self, Prefix, Route};

use crate::LabError;
use crate::plan::{self, Plan};
use crate::stage::Stage;

/// The number N of a network 10.N.0.0/24 that this machine does not use. A lab within a lab gets
/// the number after that of the outer one.
pub(super) fn free_network() -> u8 {
    // The local address toward a network tells whether we are in it. Nothing is sent.
    let is_used = |network: &u8| {
        let there = Ipv4Addr::new(10, *network, 0, 2);
        matches!(source(there.into()), Some(IpAddr::V4(ours)) if ours.octets()[..2] == [10, *network])
    };
    let last = (0..u8::MAX).rev().find(is_used);
    last.map_or(0, |last| last + 1)
}

/// True if there is a route over IPv6 from here to the Internet.
fn has_ipv6() -> bool {
    // An address for documentation (RFC 3849), to which nothing is sent. A unique local source
    // address (RFC 4193) gets no answers from the Internet, unless it is that of a lab around this
    // one.
    let to_the_world = source(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into());
    matches!(to_the_world, Some(IpAddr::V6(ours)) if !ours.is_unique_local() || plan::is_ours(ours))
}

fn source(to: IpAddr) -> Option<IpAddr> {
    let any = match to {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((to, 9)).ok()?;
    socket.local_addr().ok().as_ref().map(SocketAddr::ip)
}

/// Adds default routes: over the link in the near namespace, and to local sockets in the far one.
pub(super) fn open(plan: &Plan, stage: &Stage) -> Result<(), LabError> {
    let [near, far] = [&stage.nodes[0], &stage.nodes[1]];
    let run = |namespace: &sandbox::Namespace, action: &(dyn Fn() -> io::Result<()> + Sync)| {
        let failed = |error| {
            LabError::Machine(format!(
                "connecting the lab to the network of the \
             host: {error}"
            ))
        };
        namespace.run(action).and_then(|done| done).map_err(failed)
    };
    let [v4, v6] = [
        Prefix { address: Ipv4Addr::UNSPECIFIED.into(), len: 0 },
        Prefix { address: Ipv6Addr::UNSPECIFIED.into(), len: 0 },
    ];
    let (node, device) = (&plan.nodes[0], &plan.links[0].device);
    let out = |to: Prefix, source: IpAddr| Route {
        to,
        device: device.clone(),
        source: Some(source),
        initial_window: None,
        min_rto_ms: None,
        quick_ack: false,
        congestion: stage.forced.clone(),
    };
    run(far, &|| network::add_local(v4))?;
    run(near, &|| network::add_route(&out(v4, node.v4.into())))?;
    if has_ipv6() {
        run(far, &|| network::add_local(v6))?;
        run(near, &|| network::add_route(&out(v6, node.v6.into())))?;
    }
    Ok(())
}
