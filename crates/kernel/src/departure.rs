//! Departures of datagrams: the time at which the kernel handed each to the driver of a device,
//! after it had waited in the queue of this machine's interface. No privilege is needed, but a
//! driver that makes the stamp: most drivers of Ethernet do, and those of virtual devices.
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

/// A datagram that has left this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The bytes of the packet as the driver got it: headers and datagram.
    pub len: usize,
    /// The time since the datagram left.
    pub age: Span,
}

/// Makes the kernel stamp the departure of each datagram, for [`next_departure`], which is to be
/// called when `poll` reports an error of the socket.
///
/// # Errors
/// If the kernel has no such option.
pub fn stamp_departures(socket: &UdpSocket) -> io::Result<()> {
    // The kernel returns the packet itself with its time, which identifies it. The kernel's
    // counters (`SOF_TIMESTAMPING_OPT_ID`) go wrong in older releases when sending fails.
    let flags = libc::SOF_TIMESTAMPING_TX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE;
    sys::set_option(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, &flags.to_ne_bytes())
}

/// Takes the next datagram that has left, without waiting, and writes as much of it to `packet` as
/// fits. Other entries of the error queue (ICMP errors) are skipped.
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
    // A socket that also stamps receptions gets the time twice.
    let mut control =
        cmsg_space!(TimeSpec, Timestamps, libc::sock_extended_err, libc::sockaddr_in6);
    let mut parts = [IoSliceMut::new(packet)];
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut control), flags)?;
    let age = message.cmsgs()?.find_map(|part| match part {
        // The kernel's software stamp is the first of the three.
        ControlMessageOwned::ScmTimestampsns(times) => Some(stamp::age(*times.system.as_ref())),
        _ => None,
    });
    Ok(age.map(|age| Departure { len: message.bytes, age }))
}
