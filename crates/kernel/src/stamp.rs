//! Datagrams with their times of reception.

use std::io;
use std::os::fd::AsFd;

use rustix::time::{ClockId, clock_gettime};
use units::Span;

use crate::sys;

/// Takes the next datagram, without waiting. Returns its length, which may exceed that of `bytes`,
/// which then hold its beginning, and the time since it was received; `None` unless the socket
/// [stamps receptions](crate::stamp_receptions).
///
/// # Errors
/// `WouldBlock` if there is none; otherwise the kernel's error.
pub fn receive_stamped(socket: impl AsFd, bytes: &mut [u8]) -> io::Result<(usize, Option<Span>)> {
    let (len, stamp) = sys::receive_stamped(socket, bytes)?;
    Ok((len, stamp.map(age)))
}

/// The age, in nanoseconds, beyond which the clock must have been set: no datagram waits so long,
/// even for a program that was stopped meanwhile.
const LONGEST: u64 = 60_000_000_000;

/// The time since this stamp; zero if the clock was set in between, so that the time is not known.
#[expect(clippy::disallowed_methods, reason = "the kernel stamps by its own clock")]
pub(crate) fn age(stamp: libc::timespec) -> Span {
    let now = clock_gettime(ClockId::Realtime);
    let stamp = nanos(stamp.tv_sec as u64, stamp.tv_nsec as u64);
    let age = nanos(now.tv_sec as u64, now.tv_nsec as u64).saturating_sub(stamp);
    if age < LONGEST { Span::from_nanos(age) } else { Span::ZERO }
}

fn nanos(secs: u64, nanos: u64) -> u64 {
    secs.saturating_mul(1_000_000_000).saturating_add(nanos)
}
