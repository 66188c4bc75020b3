//! Binding AF_PACKET sockets to devices.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd};

/// Makes an AF_PACKET socket receive all frames that come out of a device, and send into it.
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
