//! Real-time priority: the loop runs before all threads that are not real-time.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::sys;

/// Gives the calling thread, not its children, the lowest real-time priority (`SCHED_FIFO`, 1). The
/// thread must pause: the kernel stops one that does not for 50 ms in each second.
///
/// # Errors
/// If the machine forbids it, as it does to ordinary users (`RLIMIT_RTPRIO`).
pub fn use_real_time() -> io::Result<()> {
    sys::be_real_time()
}

/// Gives the calling thread time slices of a tenth of a millisecond, so that it gets the processor
/// sooner than with the usual slices of some milliseconds (Linux 6.12; older kernels ignore it).
/// This needs no privilege.
///
/// # Errors
/// If the kernel does not know this setting.
pub fn use_short_turns() -> io::Result<()> {
    sys::take_short_turns(100_000)
}

/// Takes the right to real-time priority from this process and all that it starts.
///
/// # Errors
/// If the kernel has no such limit.
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
