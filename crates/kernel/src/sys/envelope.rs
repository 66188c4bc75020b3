//! Datagrams with the addresses of both ends.

use std::io;
use std::mem::{self, size_of};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;

/// A datagram's length and addresses.
pub(crate) struct Received {
    /// The length of the datagram in bytes, which may exceed the buffer.
    pub(crate) len: usize,
    pub(crate) from: SocketAddr,
    /// The local address that the datagram was sent to; `None` unless the socket reports it.
    pub(crate) to: Option<IpAddr>,
    /// The whole byte; `None` unless the socket reports it.
    pub(crate) class: Option<u8>,
    pub(crate) stamp: Option<libc::timespec>,
}

/// The buffer of control messages, aligned as they must be: a stamp (32 bytes with its header), an
/// address (40), a class (24).
#[repr(C, align(8))]
struct Control([u8; 128]);

/// Takes the next datagram, without waiting.
pub(crate) fn receive(socket: impl AsFd, bytes: &mut [u8]) -> io::Result<Received> {
    let mut control = Control([0; 128]);
    // SAFETY: an address of zeros is one without a family.
    let mut name: libc::sockaddr_storage = unsafe { mem::zeroed() };
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut message = message(&mut part, &mut name);
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = control.0.len() as _;
    let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
    // SAFETY: the kernel writes within `bytes`, `name` and `control`, whose lengths `message`
    // holds, and which outlive the call.
    let len = unsafe { libc::recvmsg(socket.as_fd().as_raw_fd(), &raw mut message, flags) };
    let len = usize::try_from(len).map_err(|_| io::Error::last_os_error())?;
    let from = address(&name).ok_or(io::ErrorKind::Unsupported)?;
    let mut received = Received { len, from, to: None, class: None, stamp: None };
    read_control(&message, &mut received);
    Ok(received)
}

/// Sends a datagram, without waiting, from this local address (`None` for the kernel's choice),
/// with this class of service: the whole byte in the header.
pub(crate) fn send(
    socket: impl AsFd,
    bytes: &[u8],
    to: SocketAddr,
    from: Option<IpAddr>,
    class: u8,
) -> io::Result<usize> {
    let mut control = Control([0; 128]);
    let (mut name, name_len) = sockaddr(to);
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut message = message(&mut part, &mut name);
    message.msg_namelen = name_len;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = write_control(&mut control, to.is_ipv6(), from, class) as _;
    // SAFETY: the kernel reads within `bytes`, `name` and `control`, whose lengths `message` holds,
    // and which outlive the call. The kernel writes to none of them.
    let sent = unsafe {
        libc::sendmsg(socket.as_fd().as_raw_fd(), &raw const message, libc::MSG_DONTWAIT)
    };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

/// A message of one part, with a name and without control.
fn message(part: &mut libc::iovec, name: &mut libc::sockaddr_storage) -> libc::msghdr {
    // SAFETY: a message of zeros is one without a name, parts or control.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_name = (&raw mut *name).cast();
    message.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message
}

/// Reads the kernel's control messages of a datagram.
fn read_control(message: &libc::msghdr, received: &mut Received) {
    // SAFETY: the kernel has filled in the message's control, which is alive and aligned. The macro
    // returns the address of a header that lies within it, or null.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(message) };
    while !header.is_null() {
        // SAFETY: the header is not null, so that it lies within the control. Any bits are a valid
        // `cmsghdr`.
        let libc::cmsghdr { cmsg_level, cmsg_type, .. } = unsafe { ptr::read(header) };
        match (cmsg_level, cmsg_type) {
            (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS) => received.stamp = data(header),
            (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                let info: Option<libc::in_pktinfo> = data(header);
                received.to = info.map(|info| ipv4(info.ipi_spec_dst).into());
            }
            (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
                let info: Option<libc::in6_pktinfo> = data(header);
                received.to = info.map(|info| Ipv6Addr::from(info.ipi6_addr.s6_addr).into());
            }
            // ip(7): one byte; ipv6(7): an integer.
            (libc::IPPROTO_IP, libc::IP_TOS) => received.class = data(header),
            (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) => {
                let class: Option<libc::c_int> = data(header);
                received.class = class.and_then(|class| class.try_into().ok());
            }
            _ => {}
        }
        // SAFETY: as for the first header; the macro stops at the end of the control.
        header = unsafe { libc::CMSG_NXTHDR(message, header) };
    }
}

/// The data after a header that the kernel has written; `None` if it is shorter than a `T`. `T`
/// must consist of numbers only.
fn data<T: Copy>(header: *const libc::cmsghdr) -> Option<T> {
    // SAFETY: the caller has the header from the macros, and it is not null.
    let len = unsafe { ptr::read(header) }.cmsg_len as u64;
    // SAFETY: this only adds lengths.
    let wanted = unsafe { libc::CMSG_LEN(size_of::<T>() as libc::c_uint) };
    // SAFETY: the header says that this many bytes follow it, within the control, and any bits are
    // a valid `T`. The address was derived from that of the whole control.
    (len >= wanted.into())
        .then(|| unsafe { ptr::read_unaligned(libc::CMSG_DATA(header).cast::<T>()) })
}

/// Writes the control messages of a datagram. Returns their length in bytes.
fn write_control(control: &mut Control, ipv6: bool, from: Option<IpAddr>, class: u8) -> usize {
    let mut used = 0;
    let class = libc::c_int::from(class);
    if ipv6 {
        push(control, &mut used, libc::IPPROTO_IPV6, libc::IPV6_TCLASS, class);
    } else {
        push(control, &mut used, libc::IPPROTO_IP, libc::IP_TOS, class);
    }
    match from {
        Some(IpAddr::V4(address)) => {
            let ipi_spec_dst = libc::in_addr { s_addr: u32::from(address).to_be() };
            let anywhere = libc::in_addr { s_addr: 0 };
            let info = libc::in_pktinfo { ipi_ifindex: 0, ipi_spec_dst, ipi_addr: anywhere };
            push(control, &mut used, libc::IPPROTO_IP, libc::IP_PKTINFO, info);
        }
        Some(IpAddr::V6(address)) => {
            let ipi6_addr = libc::in6_addr { s6_addr: address.octets() };
            let info = libc::in6_pktinfo { ipi6_addr, ipi6_ifindex: 0 };
            push(control, &mut used, libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, info);
        }
        None => {}
    }
    used
}

/// Appends one control message.
fn push<T: Copy>(control: &mut Control, used: &mut usize, level: i32, kind: i32, value: T) {
    let len = size_of::<T>() as libc::c_uint;
    // SAFETY: these only add lengths.
    let (space, len) = unsafe { (libc::CMSG_SPACE(len) as usize, libc::CMSG_LEN(len)) };
    let room = &mut control.0[*used..*used + space];
    let header: *mut libc::cmsghdr = room.as_mut_ptr().cast();
    // SAFETY: the control is aligned, and so is every item in it, whose space is rounded up. The
    // space is enough for the header and a `T` behind it, as the slice has checked. A header of
    // zeros is valid.
    unsafe {
        let mut first: libc::cmsghdr = mem::zeroed();
        first.cmsg_len = len as _;
        first.cmsg_level = level;
        first.cmsg_type = kind;
        ptr::write(header, first);
        ptr::write_unaligned(libc::CMSG_DATA(header).cast::<T>(), value);
    }
    *used += space;
}

/// The address as the kernel's structure.
fn sockaddr(address: SocketAddr) -> (libc::sockaddr_storage, libc::socklen_t) {
    // SAFETY: an address of zeros is one without a family.
    let mut storage: libc::sockaddr_storage = unsafe { mem::zeroed() };
    let len = match address {
        SocketAddr::V4(address) => {
            let name = (&raw mut storage).cast::<libc::sockaddr_in>();
            // SAFETY: the storage has room for every kind of address, aligned for it.
            let name = unsafe { &mut *name };
            name.sin_family = libc::AF_INET as libc::sa_family_t;
            name.sin_port = address.port().to_be();
            name.sin_addr.s_addr = u32::from(*address.ip()).to_be();
            size_of::<libc::sockaddr_in>()
        }
        SocketAddr::V6(address) => {
            let name = (&raw mut storage).cast::<libc::sockaddr_in6>();
            // SAFETY: the storage has room for every kind of address, aligned for it.
            let name = unsafe { &mut *name };
            name.sin6_family = libc::AF_INET6 as libc::sa_family_t;
            name.sin6_port = address.port().to_be();
            name.sin6_flowinfo = address.flowinfo();
            name.sin6_addr.s6_addr = address.ip().octets();
            name.sin6_scope_id = address.scope_id();
            size_of::<libc::sockaddr_in6>()
        }
    };
    (storage, len as libc::socklen_t)
}

/// The address that the kernel wrote; `None` if it is not an Internet address.
fn address(storage: &libc::sockaddr_storage) -> Option<SocketAddr> {
    match i32::from(storage.ss_family) {
        libc::AF_INET => {
            // SAFETY: the family tells the kind of the address, and the storage has room for each.
            let name = unsafe { &*(&raw const *storage).cast::<libc::sockaddr_in>() };
            let port = u16::from_be(name.sin_port);
            Some(SocketAddrV4::new(ipv4(name.sin_addr), port).into())
        }
        libc::AF_INET6 => {
            // SAFETY: the family tells the kind of the address, and the storage has room for each.
            let name = unsafe { &*(&raw const *storage).cast::<libc::sockaddr_in6>() };
            let address = Ipv6Addr::from(name.sin6_addr.s6_addr);
            let port = u16::from_be(name.sin6_port);
            // The flow label is left out, since an answer is a flow of its own.
            Some(SocketAddrV6::new(address, port, 0, name.sin6_scope_id).into())
        }
        _ => None,
    }
}

fn ipv4(address: libc::in_addr) -> Ipv4Addr {
    Ipv4Addr::from(u32::from_be(address.s_addr))
}
