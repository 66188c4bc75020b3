//! Datagrams, with their source address and the local address that they were sent to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

use units::Span;

use crate::stamp::age;
use crate::sys;

/// The facts about a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Its length in bytes, which may be more than fitted in.
    pub len: usize,
    /// Its source.
    pub from: SocketAddr,
    /// The local address that it was sent to, if the socket [tells](crate::tell_local_address).
    pub to: Option<IpAddr>,
    /// The time since its arrival, if the socket [stamps arrivals](crate::stamp_arrivals).
    pub age: Option<Span>,
}

/// Takes the next datagram, without waiting.
///
/// # Errors
/// `WouldBlock` if there is none; otherwise the kernel's error.
pub fn receive_from(socket: impl AsFd, bytes: &mut [u8]) -> io::Result<Envelope> {
    let sys::Received { len, from, to, stamp } = sys::receive(socket, bytes)?;
    Ok(Envelope { len, from, to, age: stamp.map(age) })
}

/// Sends a datagram, without waiting: from a local address (without one the kernel chooses one,
/// which need not be the one that was asked), and with this DiffServ code point, 0 to 63.
///
/// # Errors
/// `WouldBlock` if the socket's buffer is full; otherwise the kernel's error.
pub fn send_from(
    socket: impl AsFd,
    bytes: &[u8],
    to: SocketAddr,
    from: Option<IpAddr>,
    dscp: u8,
) -> io::Result<usize> {
    sys::send(socket, bytes, to, from, (dscp & 63) << 2)
}
