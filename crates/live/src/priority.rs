//! Real-time priority: the loop goes before all that is not real-time.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::sys;

/// Gives the calling thread, not its children, the lowest real-time priority (`SCHED_FIFO`, 1). It
/// must not compute for ever: the kernel stops such a thread for 50 ms in each second.
///
/// # Errors
/// If the machine forbids it, as it does to ordinary users (`RLIMIT_RTPRIO`).
pub fn use_real_time() -> io::Result<()> {
    sys::be_real_time()
}

/// Has the calling thread take turns of a tenth of a millisecond, for which it need not wait as long
/// as for the usual ones of some milliseconds (Linux 6.12; older kernels take no notice). Anyone
/// may.
///
/// # Errors
/// If the kernel does not know such a wish.
pub fn use_short_turns() -> io::Result<()> {
    sys::take_short_turns(100_000)
}

/// Takes from this process, and from all that it starts, the right to real-time priority.
///
/// # Errors
/// If the kernel has no such right.
pub fn forbid_real_time() -> io::Result<()> {
    limit(0)
}

/// Lets this process use real-time priority in a user namespace too, where no capability allows it.
pub(crate) fn allow_real_time() -> io::Result<()> {
    limit(1)
}

fn limit(most: u64) -> io::Result<()> {
    Ok(setrlimit(Resource::Rtprio, Rlimit { current: Some(most), maximum: Some(most) })?)
}
