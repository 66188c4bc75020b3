//! Options to set.

use std::io;
use std::os::fd::AsFd;

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
    let rate = (libc::c_ulong::MAX - 1).to_ne_bytes();
    sys::set_option(socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &rate)
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
