//! Options of sockets, as bytes.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Reads an option into `bytes`, as much as fits. Returns the number of bytes that the kernel has
/// written.
///
/// # Errors
/// If the socket has no such option.
pub fn option(
    socket: impl AsFd,
    level: libc::c_int,
    name: libc::c_int,
    bytes: &mut [u8],
) -> io::Result<usize> {
    let mut len = bytes.len() as libc::socklen_t;
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel writes at most `len` bytes to `bytes`, which has that many, and reports
    // how many it has written.
    let result =
        unsafe { libc::getsockopt(socket, level, name, bytes.as_mut_ptr().cast(), &raw mut len) };
    if result == 0 { Ok(bytes.len().min(len as usize)) } else { Err(io::Error::last_os_error()) }
}

/// Sets an option, whose value the kernel reads from these bytes.
///
/// # Errors
/// If the socket has no such option, or the kernel refuses the value.
pub fn set_option(
    socket: impl AsFd,
    level: libc::c_int,
    name: libc::c_int,
    bytes: &[u8],
) -> io::Result<()> {
    let (socket, len) = (socket.as_fd().as_raw_fd(), bytes.len() as libc::socklen_t);
    // SAFETY: the kernel reads at most `len` bytes of `bytes`, which has that many.
    let result = unsafe { libc::setsockopt(socket, level, name, bytes.as_ptr().cast(), len) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
