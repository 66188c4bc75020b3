//! When datagrams left: the time at which the kernel handed each to the driver of a device, after it
//! had waited in the queue of our own interface. It takes no rights, and a driver that notes it: most
//! of Ethernet do, and those of virtual devices.
//!
//! Specification: Linux `Documentation/networking/timestamping.rst`, sections 1.3.1
//! (`SOF_TIMESTAMPING_TX_SOFTWARE`) and 2.1 (the error queue).

use std::io::{self, IoSliceMut};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, Timestamps, recvmsg};
use nix::sys::time::TimeSpec;
use units::Span;

use crate::{stamp, sys};

/// A datagram that has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Bytes of the packet as it came to the driver: its headers, and then the datagram.
    pub len: usize,
    /// How long ago.
    pub age: Span,
}

/// Has the kernel note when each datagram leaves, for [`next_departure`], which must be called when
/// the socket has an error to tell: `poll` ends for it.
///
/// # Errors
/// If the kernel has no such option.
pub fn stamp_departures(socket: &UdpSocket) -> io::Result<()> {
    // The packet itself comes back with its time, and so it is known which one that was. Counters
    // of the kernel's (`SOF_TIMESTAMPING_OPT_ID`) go astray in older ones when sending fails.
    let flags = libc::SOF_TIMESTAMPING_TX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE;
    sys::set_option(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, &flags.to_ne_bytes())
}

/// Takes the next datagram that has left, without waiting, and writes to `packet` as much of it as
/// it holds. Other things that the kernel tells of what was sent (ICMP errors) are passed over.
///
/// # Errors
/// `WouldBlock` if there is none.
pub fn next_departure(socket: &UdpSocket, packet: &mut [u8]) -> io::Result<Departure> {
    loop {
        if let Some(departure) = take(socket, packet)? {
            return Ok(departure);
        }
    }
}

fn take(socket: &UdpSocket, packet: &mut [u8]) -> io::Result<Option<Departure>> {
    // A socket that stamps arrivals too tells the time twice.
    let mut control =
        cmsg_space!(TimeSpec, Timestamps, libc::sock_extended_err, libc::sockaddr_in6);
    let mut parts = [IoSliceMut::new(packet)];
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut control), flags)?;
    let age = message.cmsgs()?.find_map(|part| match part {
        // Software fills in the first of the three.
        ControlMessageOwned::ScmTimestampsns(times) => Some(stamp::age(*times.system.as_ref())),
        _ => None,
    });
    Ok(age.map(|age| Departure { len: message.bytes, age }))
}
