//! Options of sockets, and what AF_PACKET sockets are bound to.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd};

/// Asks for an option, of which the kernel tells as much as there is room for. Answers with how
/// many bytes that is.
pub(crate) fn option(
    socket: impl AsFd,
    level: libc::c_int,
    name: libc::c_int,
    bytes: &mut [u8],
) -> io::Result<usize> {
    let mut len = bytes.len() as libc::socklen_t;
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel writes at most `len` bytes to `bytes`, which has as many, and says how
    // many it has written.
    let result =
        unsafe { libc::getsockopt(socket, level, name, bytes.as_mut_ptr().cast(), &raw mut len) };
    if result == 0 { Ok(bytes.len().min(len as usize)) } else { Err(io::Error::last_os_error()) }
}

/// Sets an option, whose value the kernel reads from these bytes.
pub(crate) fn set_option(
    socket: impl AsFd,
    level: libc::c_int,
    name: libc::c_int,
    bytes: &[u8],
) -> io::Result<()> {
    let (socket, len) = (socket.as_fd().as_raw_fd(), bytes.len() as libc::socklen_t);
    // SAFETY: the kernel reads at most `len` bytes of `bytes`, which has as many.
    let result = unsafe { libc::setsockopt(socket, level, name, bytes.as_ptr().cast(), len) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// From now on an AF_PACKET socket hears all that comes out of a device, and sends into it.
pub(crate) fn bind_to_device(socket: impl AsFd, index: u32) -> io::Result<()> {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: (libc::ETH_P_ALL as u16).to_be(),
        sll_ifindex: index.cast_signed(),
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    // SAFETY: the kernel reads an address of the length that is told from a place that lives.
    let result = unsafe {
        libc::bind(
            socket.as_fd().as_raw_fd(),
            (&raw const address).cast(),
            size_of::<libc::sockaddr_ll>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
