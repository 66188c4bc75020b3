//! Bytes over a TCP connection whose contents do not matter.

use std::io;
use std::os::fd::AsFd;

use crate::sys;

/// Takes up to `len` bytes from a TCP connection, without waiting, and forgets them; the kernel does
/// not even copy them. How many there were; zero at the end.
///
/// # Errors
/// `WouldBlock` if there are none; otherwise what the kernel answers.
pub fn discard(socket: impl AsFd, len: usize) -> io::Result<usize> {
    sys::discard(socket, len)
}

/// Sends bytes over a TCP connection, without waiting, as a record: what is sent next does not share
/// its segments. With `TCP_NODELAY` a record that is smaller than a segment is one of its own. How
/// many bytes were taken.
///
/// # Errors
/// `WouldBlock` if the socket's buffer is full; otherwise what the kernel answers.
pub fn send_record(socket: impl AsFd, bytes: &[u8]) -> io::Result<usize> {
    sys::send_record(socket, bytes)
}
