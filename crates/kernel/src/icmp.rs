//! ICMP errors of routers and hosts about lost datagrams, as the kernel keeps them for the socket
//! that sent them. No privilege is needed (`IP_RECVERR` and `IPV6_RECVERR`, ip(7)).
//!
//! Specification: RFC 792, RFC 4443; the quoted part, RFC 1812 section 4.3.2.3.

use std::io;
use std::net::{IpAddr, UdpSocket};
use std::os::fd::AsFd;

use units::Span;

mod error_queue;
#[cfg(test)]
mod tests;

/// An ICMP error about a datagram of this socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpError {
    /// The router or host that sent the error.
    pub from: IpAddr,
    /// The meaning of the error.
    pub meaning: Meaning,
    /// The number of bytes of the datagram's payload that the error quotes. Routers that quote only
    /// the header give none. Routers that pad to a length (RFC 4884 section 5.5) give more than the
    /// datagram had.
    pub quoted: usize,
    /// The time since the error was received; `None` unless the socket stamps receptions.
    pub age: Option<Span>,
}

/// The meaning of an ICMP error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The time to live was exceeded in transit.
    TimeExceeded,
    /// The datagram reached a host where no program has its port.
    PortUnreachable,
    /// Any other error.
    Other,
}

/// Makes the kernel keep the ICMP errors about this socket's datagrams, for [`next_error`]. Until
/// an error has been taken, sending and receiving may each fail with it once.
///
/// # Errors
/// If the kernel refuses.
pub fn report_errors(socket: &UdpSocket) -> io::Result<()> {
    error_queue::report_errors(socket)
}

/// Takes the next ICMP error, without waiting, and writes as much of the quoted payload to
/// `payload` as fits.
///
/// # Errors
/// `WouldBlock` if there is none.
pub fn next_error(socket: impl AsFd, payload: &mut [u8]) -> io::Result<IcmpError> {
    error_queue::next_error(socket.as_fd(), payload)
}

/// Sets the hop limit of the socket's datagrams (`IP_TTL`, `IPV6_UNICAST_HOPS`): with 1 they end at
/// the first router.
///
/// # Errors
/// If the kernel refuses the value, as it does 0 for IPv4.
pub fn set_hop_limit(socket: &UdpSocket, hops: u8) -> io::Result<()> {
    match socket.local_addr()?.ip() {
        IpAddr::V4(_) => rustix::net::sockopt::set_ip_ttl(socket, hops.into())?,
        IpAddr::V6(_) => rustix::net::sockopt::set_ipv6_unicast_hops(socket, Some(hops))?,
    }
    Ok(())
}
