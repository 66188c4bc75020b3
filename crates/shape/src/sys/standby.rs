//! A second process that passes packets on when the first cannot.
//!
//! A process that is killed has packets that wait for it: at its devices, and those that the kernel
//! hands over until its descriptors are closed, some milliseconds later. The second process has the same
//! descriptors. It passes these packets on, and ends.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};

use live::{Clock, Fabric, QueuedPacket};
use qdisc::Qdisc;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::thread::set_name;
use units::{Span, Time};

use super::life::Life;
use crate::hooks::Hooks;

/// The time between two looks at a shaper that makes no promise.
const LOOK: Span = Span::from_millis(25);
/// The time within which a processor that was in our program when the shaper ended has handed its packet
/// over.
const LAST: Span = Span::from_millis(5);

/// The second process. It is killed when this value is dropped, unless that is by a panic.
#[derive(Debug)]
pub(crate) struct Standby {
    child: Pid,
    _life: Life,
}

impl Standby {
    /// Starts the process for the ports of a fabric that the calling thread is about to run.
    ///
    /// # Errors
    /// If the kernel allows no more memory or processes.
    pub(crate) fn start<Q: Qdisc<QueuedPacket>>(
        fabric: &mut Fabric<Q>,
        hooks: &Hooks,
    ) -> io::Result<Self> {
        let life = Life::begin()?;
        let kept = fabric.ports().map(AsFd::as_fd).chain(hooks.descriptors());
        let mut kept: Vec<_> = kept.map(|it| it.as_raw_fd()).collect();
        kept.sort_unstable();
        let signals = change_signals(libc::SIG_BLOCK, None);
        // SAFETY: the process has several threads, of which some may hold locks, that of the allocator among
        // them. So the child only does what a signal handler may do: it calls the kernel, and allocates
        // nothing. It never returns from here.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let end = End;
            close_others(&kept);
            let _ = set_name(c"unbloat-standby");
            stand_by(fabric, hooks, &life);
            drop(end);
        }
        let error = io::Error::last_os_error();
        change_signals(libc::SIG_SETMASK, Some(&signals));
        let child = Pid::from_raw(child).filter(|_| child > 0).ok_or(error)?;
        Ok(Self { child, _life: life })
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = kill_process(self.child, Signal::KILL);
            let _ = waitpid(Some(self.child), WaitOptions::empty());
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

/// Passes packets on while the shaper hangs, and when it has ended.
fn stand_by<Q: Qdisc<QueuedPacket>>(fabric: &mut Fabric<Q>, hooks: &Hooks, shaper: &Life) {
    let clock = Clock::of_kernel();
    let mut patience = LOOK;
    while !shaper.ends_within(patience) {
        let promised = hooks.promised();
        patience = promised.since(clock.now());
        if patience == Span::ZERO {
            patience = LOOK;
            // A shaper that steps aside takes back its promise, and reads on.
            if promised != Time::ZERO {
                fabric.pass_all();
            }
        }
    }
    // From now on, our programs let packets pass. The kernel takes longer to switch them off.
    hooks.promise(Time::ZERO);
    let late = clock.now() + LAST;
    while clock.now() < late {
        fabric.pass_all();
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
