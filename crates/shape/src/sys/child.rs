//! A child process that outlives this one.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::life::Life;

/// A child process. It is killed when this value is dropped, unless that is by a panic.
#[derive(Debug)]
pub(crate) struct Child {
    pid: Pid,
    _life: Life,
}

impl Child {
    /// Runs `action` in a child process, which keeps these descriptors alone, and which no signal
    /// disturbs but SIGKILL. It is told of the life of the calling thread.
    ///
    /// The action may do no more than a signal handler (signal-safety(7)), as this process may have
    /// several threads, some of which hold locks, that of the allocator among them.
    ///
    /// # Errors
    /// If the kernel allows no more memory or processes.
    pub(crate) fn start<'a>(
        kept: impl Iterator<Item = BorrowedFd<'a>>,
        action: impl FnOnce(&Life),
    ) -> io::Result<Self> {
        let life = Life::begin()?;
        let mut kept: Vec<_> = kept.map(|it| it.as_raw_fd()).collect();
        kept.sort_unstable();
        let signals = change_signals(libc::SIG_BLOCK, None);
        // SAFETY: until it ends, the child only does what a signal handler may do, which the caller
        // answers for. It never returns from here.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let end = End;
            close_others(&kept);
            action(&life);
            drop(end);
        }
        let error = io::Error::last_os_error();
        change_signals(libc::SIG_SETMASK, Some(&signals));
        let pid = Pid::from_raw(child).filter(|_| child > 0).ok_or(error)?;
        Ok(Self { pid, _life: life })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = kill_process(self.pid, Signal::KILL);
            let _ = waitpid(Some(self.pid), WaitOptions::empty());
        }
    }
}

/// Ends the child, also if it panics: it must not go on as if it were its parent.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        // SAFETY: this ends the process without the handlers that its parent runs at its own end.
        unsafe { libc::_exit(0) }
    }
}

/// Closes all descriptors but these, which are sorted.
fn close_others(kept: &[RawFd]) {
    let close = |first: u32, last: u32| {
        if first <= last {
            // SAFETY: nothing of this process uses the descriptors in between.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
    };
    let mut first = 0;
    for kept in kept.iter().map(|it| it.cast_unsigned()) {
        if kept > 0 {
            close(first, kept - 1);
        }
        first = kept + 1;
    }
    close(first, u32::MAX);
}

/// Changes which signals the calling thread, and a child of it, take: `how` as in
/// pthread_sigmask(3), all signals unless some are named. Returns those that were blocked before.
fn change_signals(how: libc::c_int, signals: Option<&libc::sigset_t>) -> libc::sigset_t {
    // SAFETY: a set of signals is plain memory, the calls write only to the sets that they are given,
    // and these outlive the calls.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(how, signals.unwrap_or(&all), &raw mut before);
        before
    }
}
