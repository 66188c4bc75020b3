//! Options to set.

use std::io;
use std::os::fd::AsFd;

use units::Rate;

use crate::sys;

/// The largest segment that either end of the connection may send, the options of TCP (timestamps:
/// 12 bytes) counted with the payload (`TCP_MAXSEG`). To be set before the connection is made; on
/// a listening socket for all that it accepts.
///
/// # Errors
/// If the kernel refuses the value.
pub fn set_max_segment(socket: impl AsFd, bytes: u32) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, bytes)
}

/// The most that the receiver lets be in flight (`TCP_WINDOW_CLAMP`). The kernel forgets it when it
/// makes the buffer larger, or learns how much memory a segment takes: say it again after reading.
///
/// # Errors
/// If this is no TCP socket.
pub fn set_window_clamp(socket: impl AsFd, bytes: u32) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, bytes)
}

/// The most that the receiver lets be in flight at this moment.
///
/// # Errors
/// If this is no TCP socket.
pub fn window_clamp(socket: impl AsFd) -> io::Result<u32> {
    let mut bytes = [0; 4];
    sys::option(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, &mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

/// The socket takes no more from its application while so much, in bytes, has not been sent for the
/// first time (`TCP_NOTSENT_LOWAT`).
///
/// # Errors
/// If this is no TCP socket.
pub fn set_unsent_low_water(socket: impl AsFd, bytes: u32) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, bytes)
}

/// Spreads the segments over the round trip, whatever queue the device has: any limit on the pace
/// (`SO_MAX_PACING_RATE`) makes TCP keep its own pace, and this one is beyond reach.
///
/// # Errors
/// If the kernel has no such option.
pub fn pace(socket: impl AsFd) -> io::Result<()> {
    // The largest value of each width means that there is none.
    set_pace(socket, libc::c_ulong::MAX - 1)
}

/// Sends no faster than this, the headers counted (`SO_MAX_PACING_RATE`). It may be said again.
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

/// Marks all that is sent with this code point (Differentiated Services, 0 to 63). TCP keeps its ECN
/// bits beside it.
///
/// # Errors
/// If this is no socket of the Internet.
pub fn set_dscp(socket: impl AsFd, dscp: u8) -> io::Result<()> {
    let class = u32::from(dscp & 63) << 2;
    let mut domain = [0; 4];
    sys::option(&socket, libc::SOL_SOCKET, libc::SO_DOMAIN, &mut domain)?;
    if i32::from_ne_bytes(domain) == libc::AF_INET6 {
        set(&socket, libc::IPPROTO_IPV6, libc::IPV6_TCLASS, class)?;
    }
    // On a socket of IPv6 this is for the packets that it exchanges with IPv4.
    set(socket, libc::IPPROTO_IP, libc::IP_TOS, class)
}

/// Has the kernel tell which address of ours each datagram was for: for
/// [`receive_from`](crate::receive_from).
///
/// # Errors
/// If this is no socket of the Internet.
pub fn tell_local_address(socket: impl AsFd) -> io::Result<()> {
    let mut domain = [0; 4];
    sys::option(&socket, libc::SOL_SOCKET, libc::SO_DOMAIN, &mut domain)?;
    match i32::from_ne_bytes(domain) {
        libc::AF_INET6 => set(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO, 1),
        _ => set(socket, libc::IPPROTO_IP, libc::IP_PKTINFO, 1),
    }
}

/// Has the kernel note when each datagram arrived: for [`receive_stamped`](crate::receive_stamped).
///
/// # Errors
/// If the kernel has no such option.
pub fn stamp_arrivals(socket: impl AsFd) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
}

fn set(socket: impl AsFd, level: i32, name: i32, value: u32) -> io::Result<()> {
    sys::set_option(socket, level, name, &value.to_ne_bytes())
}
