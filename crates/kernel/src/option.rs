//! Options of sockets.

use std::io;
use std::os::fd::AsFd;

use units::Rate;

use crate::sys;

/// Sets the largest segment that either end of the connection may send, in bytes of payload and TCP
/// options (timestamps: 12 bytes) together (`TCP_MAXSEG`). Set it before the connection is made, or
/// on a listening socket for all that it accepts.
///
/// # Errors
/// If the kernel refuses the value.
pub fn set_max_segment(socket: impl AsFd, bytes: u32) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, bytes)
}

/// Sets the most bytes that the receiver allows in flight (`TCP_WINDOW_CLAMP`). The kernel drops
/// the limit when it enlarges the buffer, or learns how much memory a segment takes: set it again
/// after reading.
///
/// # Errors
/// If this is no TCP socket.
pub fn set_window_clamp(socket: impl AsFd, bytes: u32) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, bytes)
}

/// The most bytes that the receiver allows in flight at present.
///
/// # Errors
/// If this is no TCP socket.
pub fn window_clamp(socket: impl AsFd) -> io::Result<u32> {
    let mut bytes = [0; 4];
    sys::option(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, &mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

/// Makes the socket take no more from its application while this many bytes were never sent yet
/// (`TCP_NOTSENT_LOWAT`).
///
/// # Errors
/// If this is no TCP socket.
pub fn set_unsent_low_water(socket: impl AsFd, bytes: u32) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, bytes)
}

/// Spreads the segments over the round trip, whatever queue the device has. Any limit on the pace
/// (`SO_MAX_PACING_RATE`) makes TCP pace its segments; this one is too high to matter.
///
/// # Errors
/// If the kernel has no such option.
pub fn pace(socket: impl AsFd) -> io::Result<()> {
    // The largest value of each width means no limit.
    set_pace(socket, libc::c_ulong::MAX - 1)
}

/// Limits the sending rate, headers included (`SO_MAX_PACING_RATE`). It may be changed later.
///
/// # Errors
/// If the kernel has no such option.
pub fn set_max_pace(socket: impl AsFd, rate: Rate) -> io::Result<()> {
    let bytes = (rate.bits_per_sec() / 8).max(1);
    set_pace(socket, libc::c_ulong::try_from(bytes).unwrap_or(libc::c_ulong::MAX - 1))
}

fn set_pace(socket: impl AsFd, bytes_per_sec: libc::c_ulong) -> io::Result<()> {
    let rate = bytes_per_sec.to_ne_bytes();
    sys::set_option(socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &rate)
}

/// Gives all packets of the socket this DiffServ code point, 0 to 63. TCP keeps its ECN bits.
///
/// # Errors
/// If this is no Internet socket.
pub fn set_dscp(socket: impl AsFd, dscp: u8) -> io::Result<()> {
    let class = u32::from(dscp & 63) << 2;
    let mut domain = [0; 4];
    sys::option(&socket, libc::SOL_SOCKET, libc::SO_DOMAIN, &mut domain)?;
    if i32::from_ne_bytes(domain) == libc::AF_INET6 {
        set(&socket, libc::IPPROTO_IPV6, libc::IPV6_TCLASS, class)?;
    }
    // On an IPv6 socket, this option is for the packets that are exchanged with IPv4 hosts.
    set(socket, libc::IPPROTO_IP, libc::IP_TOS, class)
}

/// Makes the kernel report the local address that each datagram was sent to, for
/// [`receive_from`](crate::receive_from).
///
/// # Errors
/// If this is no Internet socket.
pub fn report_local_address(socket: impl AsFd) -> io::Result<()> {
    let mut domain = [0; 4];
    sys::option(&socket, libc::SOL_SOCKET, libc::SO_DOMAIN, &mut domain)?;
    match i32::from_ne_bytes(domain) {
        libc::AF_INET6 => set(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO, 1),
        _ => set(socket, libc::IPPROTO_IP, libc::IP_PKTINFO, 1),
    }
}

/// Makes the kernel report the class of service with which each datagram arrived, for
/// [`receive_from`](crate::receive_from).
///
/// # Errors
/// If this is no Internet socket.
pub fn report_class(socket: impl AsFd) -> io::Result<()> {
    let mut domain = [0; 4];
    sys::option(&socket, libc::SOL_SOCKET, libc::SO_DOMAIN, &mut domain)?;
    match i32::from_ne_bytes(domain) {
        libc::AF_INET6 => set(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVTCLASS, 1),
        _ => set(socket, libc::IPPROTO_IP, libc::IP_RECVTOS, 1),
    }
}

/// Makes the kernel stamp the reception of each datagram, for
/// [`receive_stamped`](crate::receive_stamped).
///
/// # Errors
/// If the kernel has no such option.
pub fn stamp_receptions(socket: impl AsFd) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
}

fn set(socket: impl AsFd, level: i32, name: i32, value: u32) -> io::Result<()> {
    sys::set_option(socket, level, name, &value.to_ne_bytes())
}
