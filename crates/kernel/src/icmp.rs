//! What routers and hosts say of datagrams that did not arrive (ICMP), as the kernel keeps it for
//! the socket that sent them. It takes no rights (`IP_RECVERR` and `IPV6_RECVERR`, ip(7)).
//!
//! Specification: RFC 792, RFC 4443; what is quoted, RFC 1812 section 4.3.2.3.

use std::io;
use std::net::{IpAddr, UdpSocket};

use units::Span;

#[cfg(not(target_os = "linux"))]
use elsewhere as platform;
#[cfg(target_os = "linux")]
use linux as platform;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(test, target_os = "linux"))]
mod tests;

/// An ICMP error about a datagram of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpError {
    /// Who says it.
    pub from: IpAddr,
    /// What it says.
    pub meaning: Meaning,
    /// How many bytes of the datagram's payload came with it. Routers that quote no more than the
    /// header send none; those that fill up to a length (RFC 4884 section 5.5) send more than it had.
    pub quoted: usize,
    /// How long ago it arrived, if the socket stamps arrivals.
    pub age: Option<Span>,
}

/// What an ICMP error says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The time to live was over on the way.
    TimeExceeded,
    /// It arrived at a host where nobody listens.
    PortUnreachable,
    /// Anything else.
    Other,
}

/// Has the kernel keep the ICMP errors about what this socket sends, for [`next_error`]. Until one
/// has been taken, sending and receiving may each fail with it once.
///
/// # Errors
/// `Unsupported` on systems other than Linux.
pub fn report_errors(socket: &UdpSocket) -> io::Result<()> {
    platform::report_errors(socket)
}

/// Takes the next ICMP error, without waiting, and writes to `payload` as much of what is quoted of
/// the datagram as it holds.
///
/// # Errors
/// `WouldBlock` if there is none; `Unsupported` on systems other than Linux.
pub fn next_error(socket: &UdpSocket, payload: &mut [u8]) -> io::Result<IcmpError> {
    platform::next_error(socket, payload)
}

/// How many routers what this socket sends may pass, the last one not among them (`IP_TTL`,
/// `IPV6_UNICAST_HOPS`): 1 ends at the first.
///
/// # Errors
/// If the kernel refuses it, as it does 0 for IPv4.
pub fn set_hop_limit(socket: &UdpSocket, hops: u8) -> io::Result<()> {
    match socket.local_addr()?.ip() {
        IpAddr::V4(_) => rustix::net::sockopt::set_ip_ttl(socket, hops.into())?,
        IpAddr::V6(_) => rustix::net::sockopt::set_ipv6_unicast_hops(socket, Some(hops))?,
    }
    Ok(())
}
