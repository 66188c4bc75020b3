//! Datagrams with the kernel's stamps.

use std::io;
use std::mem::{self, size_of};
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;

/// The buffer of control messages: one stamp and its header, aligned as they must be.
#[repr(C, align(8))]
struct Control([u8; 64]);

/// Takes the next datagram, without waiting. Returns its length, which may exceed that of `bytes`,
/// which then hold its beginning, and its `SO_TIMESTAMPNS`; `None` if it has none.
pub(crate) fn receive_stamped(
    socket: impl AsFd,
    bytes: &mut [u8],
) -> io::Result<(usize, Option<libc::timespec>)> {
    let mut control = Control([0; 64]);
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: a message of zeros is one without a name, parts or control.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = control.0.len() as _;
    let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
    // SAFETY: the kernel writes within `bytes` and `control`, whose lengths `message` holds, and
    // which outlive the call.
    let len = unsafe { libc::recvmsg(socket.as_fd().as_raw_fd(), &raw mut message, flags) };
    let len = usize::try_from(len).map_err(|_| io::Error::last_os_error())?;
    Ok((len, stamp(&message)))
}

/// The stamp that came with a message; `None` if there is none.
fn stamp(message: &libc::msghdr) -> Option<libc::timespec> {
    // SAFETY: the kernel has filled in the message's control, which is alive and aligned. The macro
    // returns the address of a header that lies within it, or null.
    let header = unsafe { libc::CMSG_FIRSTHDR(message) };
    if header.is_null() {
        return None;
    }
    // SAFETY: the header is not null, and any bits are a valid `cmsghdr`.
    let libc::cmsghdr { cmsg_len, cmsg_level, cmsg_type, .. } = unsafe { ptr::read(header) };
    // SAFETY: this only adds lengths.
    let len = unsafe { libc::CMSG_LEN(size_of::<libc::timespec>() as libc::c_uint) };
    let is_stamp = (cmsg_level, cmsg_type) == (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS);
    if !is_stamp || (cmsg_len as u64) < u64::from(len) {
        return None;
    }
    // SAFETY: the header says that a `timespec` follows it. The address was derived from that of
    // the whole control.
    Some(unsafe { ptr::read_unaligned(libc::CMSG_DATA(header).cast()) })
}
