//! Bytes over a connection, in ways that no library offers.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;

/// Takes up to `len` bytes from a TCP connection, without waiting, and drops them without a copy.
/// Returns their number; zero at the end.
pub(crate) fn discard(socket: impl AsFd, len: usize) -> io::Result<usize> {
    let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
    // SAFETY: with this flag the kernel writes nothing to the buffer of a TCP socket (tcp(7)). For
    // a socket of another kind it finds no memory there, and refuses.
    let taken = unsafe { libc::recv(socket.as_fd().as_raw_fd(), ptr::null_mut(), len, flags) };
    usize::try_from(taken).map_err(|_| io::Error::last_os_error())
}

/// Sends one record over a TCP connection, without waiting: later bytes do not share its segments.
pub(crate) fn send_record(socket: impl AsFd, bytes: &[u8]) -> io::Result<usize> {
    let flags = libc::MSG_DONTWAIT | libc::MSG_EOR | libc::MSG_NOSIGNAL;
    // SAFETY: the kernel reads at most `bytes.len()` bytes of `bytes`.
    let sent = unsafe {
        libc::send(socket.as_fd().as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), flags)
    };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}
