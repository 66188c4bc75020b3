//! Addresses of names.

use std::net::{IpAddr, SocketAddr};

use measure::client::Family;
use tokio::net::lookup_host;

/// The address of a host: the one from before, if the host still has it, or else the one that the resolver
/// prefers. `None` if it has none of this version for the moment.
pub(crate) async fn address(
    host: &str,
    port: u16,
    family: Family,
    before: Option<SocketAddr>,
) -> Option<SocketAddr> {
    let found = lookup_host((host, port)).await.ok()?;
    let is_wanted = |it: &SocketAddr| match family {
        Family::Any => true,
        Family::V4 => it.is_ipv4(),
        Family::V6 => it.is_ipv6(),
    };
    let found: Vec<_> = found
        .map(|it| SocketAddr::new(it.ip().to_canonical(), it.port()))
        .filter(is_wanted)
        .collect();
    before.filter(|it| found.contains(it)).or(found.first().copied())
}

/// True if the host is an address itself.
pub(crate) fn is_address(host: &str) -> bool {
    host.parse::<IpAddr>().is_ok()
}
