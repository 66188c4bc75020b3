//! AF_PACKET sockets and their devices.

use std::io::{self, IoSlice};
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd};

use rustix::io::Errno;

/// Makes an AF_PACKET socket receive all frames of a device, and send into it.
///
/// # Errors
/// If there is no such device.
pub fn bind_to_device(socket: impl AsFd, index: u32) -> io::Result<()> {
    let address = address(index, libc::ETH_P_ALL as u16);
    // SAFETY: the kernel reads `address`, whose length it is told, and which outlives the call.
    let result = unsafe {
        libc::bind(
            socket.as_fd().as_raw_fd(),
            (&raw const address).cast(),
            size_of::<libc::sockaddr_ll>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Sends a frame, of which an AF_PACKET socket says that it carries this protocol, into a device.
///
/// # Errors
/// The kernel's error.
pub fn send_to_device(
    socket: impl AsFd,
    index: u32,
    protocol: u16,
    slices: &[IoSlice<'_>],
) -> Result<(), Errno> {
    let mut address = address(index, protocol);
    // SAFETY: a message header of zeros names no address, no memory and no control data.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_name = (&raw mut address).cast();
    message.msg_namelen = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // The standard library guarantees that an `IoSlice` has the layout of an `iovec`; the kernel only
    // reads through it.
    message.msg_iov = slices.as_ptr().cast_mut().cast();
    message.msg_iovlen = slices.len() as _;
    // SAFETY: all that `message` points to outlives the call, with the lengths that it tells.
    let sent = unsafe { libc::sendmsg(socket.as_fd().as_raw_fd(), &raw const message, 0) };
    if sent >= 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO))
}

fn address(index: u32, protocol: u16) -> libc::sockaddr_ll {
    libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: protocol.to_be(),
        sll_ifindex: index.cast_signed(),
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    }
}
