//! Datagrams, with whom they are from and which address of ours they were for.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

use units::Span;

use crate::stamp::age;
use crate::sys;

/// What came with a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Its length, which may be more than there was room for.
    pub len: usize,
    /// Who sent it.
    pub from: SocketAddr,
    /// The address of ours that it was sent to, if the socket [tells](crate::tell_local_address).
    pub to: Option<IpAddr>,
    /// How long ago it arrived, if the socket [stamps arrivals](crate::stamp_arrivals).
    pub age: Option<Span>,
}

/// Takes the next datagram, without waiting.
///
/// # Errors
/// `WouldBlock` if there is none; otherwise what the kernel answers.
pub fn receive_from(socket: impl AsFd, bytes: &mut [u8]) -> io::Result<Envelope> {
    let sys::Received { len, from, to, stamp } = sys::receive(socket, bytes)?;
    Ok(Envelope { len, from, to, age: stamp.map(age) })
}

/// Sends a datagram, without waiting: from an address of ours (otherwise the kernel chooses one,
/// which need not be that which was asked), and with this code point (Differentiated Services, 0 to
/// 63).
///
/// # Errors
/// `WouldBlock` if the socket's buffer is full; otherwise what the kernel answers.
pub fn send_from(
    socket: impl AsFd,
    bytes: &[u8],
    to: SocketAddr,
    from: Option<IpAddr>,
    dscp: u8,
) -> io::Result<usize> {
    sys::send(socket, bytes, to, from, (dscp & 63) << 2)
}
