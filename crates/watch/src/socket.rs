//! Sockets of UDP.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// A UDP socket that is connected to a host, whose ICMP errors are kept.
pub(crate) fn datagram_socket(host: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = match host {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any)?;
    socket.set_nonblocking(true)?;
    kernel::report_errors(&socket)?;
    socket.connect(host)?;
    Ok(socket)
}
