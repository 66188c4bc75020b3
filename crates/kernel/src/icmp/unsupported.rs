//! The error queue on other systems, which keep no such errors for an unprivileged socket.

use std::io;
use std::net::UdpSocket;
use std::os::fd::BorrowedFd;

use super::IcmpError;

pub(super) fn report_errors(_socket: &UdpSocket) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn next_error(_socket: BorrowedFd<'_>, _payload: &mut [u8]) -> io::Result<IcmpError> {
    Err(io::ErrorKind::Unsupported.into())
}
