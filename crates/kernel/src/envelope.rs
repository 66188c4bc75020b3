//! Datagrams, with their source address and the local address that they were sent to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

use units::Span;

use crate::stamp::age;
use crate::sys;

/// A datagram's length, addresses and age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The length of the datagram in bytes, which may exceed the buffer.
    pub len: usize,
    /// The source of the datagram.
    pub from: SocketAddr,
    /// The local address that the datagram was sent to; `None` unless the socket [reports
    /// it](crate::report_local_address).
    pub to: Option<IpAddr>,
    /// The class of service with which the datagram arrived, the whole byte: a DiffServ code point
    /// in its six high bits, ECN in its two low ones. `None` unless the socket [reports
    /// it](crate::report_class).
    pub class: Option<u8>,
    /// The time since the datagram was received; `None` unless the socket [stamps
    /// receptions](crate::stamp_receptions).
    pub age: Option<Span>,
}

/// Takes the next datagram, without waiting.
///
/// # Errors
/// `WouldBlock` if there is none; otherwise the kernel's error.
pub fn receive_from(socket: impl AsFd, bytes: &mut [u8]) -> io::Result<Envelope> {
    let sys::Received { len, from, to, class, stamp } = sys::receive(socket, bytes)?;
    Ok(Envelope { len, from, to, class, age: stamp.map(age) })
}

/// Sends a datagram, without waiting, with this class of service, the whole byte. `None` for the local
/// address leaves the choice to the kernel, which may choose another than the one that the peer's
/// datagram was sent to.
///
/// # Errors
/// `WouldBlock` if the socket's buffer is full; otherwise the kernel's error.
pub fn send_from(
    socket: impl AsFd,
    bytes: &[u8],
    to: SocketAddr,
    from: Option<IpAddr>,
    class: u8,
) -> io::Result<usize> {
    sys::send(socket, bytes, to, from, class)
}
