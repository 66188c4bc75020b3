//! Bytes over a TCP connection whose contents do not matter.

use std::io;
use std::os::fd::AsFd;

use crate::sys;

/// Takes up to `len` bytes from a TCP connection, without waiting, and drops them, which the kernel
/// does without a copy. Returns their number; zero at the end.
///
/// # Errors
/// `WouldBlock` if there are none; otherwise the kernel's error.
pub fn discard(socket: impl AsFd, len: usize) -> io::Result<usize> {
    sys::discard(socket, len)
}

/// Sends bytes over a TCP connection, without waiting, as a record: later bytes do not share its
/// segments. With `TCP_NODELAY`, a record that is smaller than a segment is a segment of its own.
/// Returns the number of bytes that were taken.
///
/// # Errors
/// `WouldBlock` if the socket's buffer is full; otherwise the kernel's error.
pub fn send_record(socket: impl AsFd, bytes: &[u8]) -> io::Result<usize> {
    sys::send_record(socket, bytes)
}
