//! Routes of this machine, as the kernel knows them.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use observation::ProbeFailure;
use rustix::io::Errno;

use crate::asker::failure;

/// A port to which nothing is sent: that of the service that discards all (RFC 863).
const ANY_PORT: u16 = 9;

/// Looks for a route to an address, and sends nothing.
pub(crate) fn find_route(address: SocketAddr) -> io::Result<()> {
    let any = match address {
        SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    UdpSocket::bind((any, 0))?.connect(address)
}

/// True unless this machine has no route to an address now.
pub(crate) fn has_route(address: IpAddr) -> bool {
    let Err(error) = find_route(SocketAddr::new(address, ANY_PORT)) else { return true };
    // Who has no more sockets knows nothing of routes.
    let is_short = matches!(
        Errno::from_io_error(&error),
        Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM)
    );
    is_short || failure(&error) != ProbeFailure::NoRoute
}
