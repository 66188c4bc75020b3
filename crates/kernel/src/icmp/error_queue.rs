//! The error queue of a socket.
//!
//! Specification: ip(7) and ipv6(7), `IP_RECVERR` and `IPV6_RECVERR`; recvmsg(2), `MSG_ERRQUEUE`.

use std::io::{self, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};
use std::os::fd::{AsRawFd, BorrowedFd};

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::sys::time::TimeSpec;

use super::{IcmpError, Meaning};
use crate::{stamp, sys};

pub(super) fn report_errors(socket: &UdpSocket) -> io::Result<()> {
    let (level, name) = match socket.local_addr()?.ip() {
        IpAddr::V4(_) => (libc::IPPROTO_IP, libc::IP_RECVERR),
        IpAddr::V6(_) => (libc::IPPROTO_IPV6, libc::IPV6_RECVERR),
    };
    sys::set_option(socket, level, name, &1_i32.to_ne_bytes())
}

pub(super) fn next_error(socket: BorrowedFd<'_>, payload: &mut [u8]) -> io::Result<IcmpError> {
    loop {
        if let Some(error) = take(socket, payload)? {
            return Ok(error);
        }
    }
}

/// Takes the next entry from the queue; `None` if the entry is not from ICMP.
fn take(socket: BorrowedFd<'_>, payload: &mut [u8]) -> io::Result<Option<IcmpError>> {
    let mut control =
        cmsg_space!(TimeSpec, libc::sock_extended_err, libc::sockaddr_in6, libc::sockaddr_in6);
    let mut parts = [IoSliceMut::new(payload)];
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let fd = socket.as_raw_fd();
    let message = recvmsg::<()>(fd, &mut parts, Some(&mut control), flags)?;
    let (mut origin, mut age) = (None, None);
    for part in message.cmsgs()? {
        match part {
            ControlMessageOwned::ScmTimestampns(time) => age = Some(stamp::age(*time.as_ref())),
            ControlMessageOwned::Ipv4RecvErr(error, Some(from)) => {
                let from = Ipv4Addr::from_bits(u32::from_be(from.sin_addr.s_addr));
                origin = of_version_4(error).map(|meaning| (from.into(), meaning));
            }
            ControlMessageOwned::Ipv6RecvErr(error, Some(from)) => {
                let from = Ipv6Addr::from(from.sin6_addr.s6_addr);
                origin = of_version_6(error).map(|meaning| (from.into(), meaning));
            }
            _ => {}
        }
    }
    let quoted = message.bytes;
    Ok(origin.map(|(from, meaning)| IcmpError { from, meaning, quoted, age }))
}

/// The meaning of types 3 (destination unreachable; code 3, port) and 11 (time exceeded; code 0, in
/// transit) of RFC 792; `None` for others.
fn of_version_4(error: libc::sock_extended_err) -> Option<Meaning> {
    (error.ee_origin == libc::SO_EE_ORIGIN_ICMP).then_some(match (error.ee_type, error.ee_code) {
        (11, 0) => Meaning::TimeExceeded,
        (3, 3) => Meaning::PortUnreachable,
        _ => Meaning::Other,
    })
}

/// The meaning of types 1 (destination unreachable; code 4, port) and 3 (time exceeded; code 0, in
/// transit) of RFC 4443; `None` for others.
fn of_version_6(error: libc::sock_extended_err) -> Option<Meaning> {
    (error.ee_origin == libc::SO_EE_ORIGIN_ICMP6).then_some(match (error.ee_type, error.ee_code) {
        (3, 0) => Meaning::TimeExceeded,
        (1, 4) => Meaning::PortUnreachable,
        _ => Meaning::Other,
    })
}
