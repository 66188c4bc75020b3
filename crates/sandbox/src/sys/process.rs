//! Processes, threads and their namespaces.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, set_parent_process_death_signal, waitpid};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Moves the calling thread into new namespaces.
pub(crate) fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    assert!(!namespaces.contains(UnshareFlags::FILES), "descriptors stay shared");
    // SAFETY: only FILES is dangerous, and that was excluded.
    Ok(unsafe { unshare_unsafe(namespaces) }?)
}

/// A child process with an answer for its parent.
#[derive(Debug)]
pub(crate) struct Child {
    pid: Pid,
    answer: File,
}

impl Child {
    /// Waits for the child's answer and its end.
    pub(crate) fn join(mut self) -> io::Result<[u8; 2]> {
        let mut answer = [0; 2];
        self.answer.read_exact(&mut answer).map(|()| answer)
    }
}

impl Drop for Child {
    /// Waits for the child's end, so that no process is left behind.
    fn drop(&mut self) {
        while matches!(waitpid(Some(self.pid), WaitOptions::empty()), Err(Errno::INTR)) {}
    }
}

/// The number of threads of this process.
pub(crate) fn threads() -> io::Result<usize> {
    let status = fs::read_to_string("/proc/self/status")?;
    let count = status.lines().find_map(|line| line.strip_prefix("Threads:"));
    count.and_then(|count| count.trim().parse().ok()).ok_or(io::ErrorKind::InvalidData.into())
}

/// Runs `action` in a child process, which ends with this one. Fails if there is more than one
/// thread.
pub(crate) fn fork(action: impl FnOnce() -> [u8; 2]) -> io::Result<Child> {
    if threads()? != 1 {
        return Err(io::Error::other("only a process of one thread can be copied"));
    }
    // SAFETY: there is one thread only, and no other can start meanwhile.
    unsafe { fork_unchecked(action) }
}

/// Runs `action` in a child process, which ends with this one.
///
/// # Safety
/// Either this process has one thread only, so that no other holds a lock and the child may do all
/// that this process may; or `action` does nothing but what a signal handler may do.
unsafe fn fork_unchecked(action: impl FnOnce() -> [u8; 2]) -> io::Result<Child> {
    let (answer, mut answers) = io::pipe()?;
    // SAFETY: the caller answers for the actions of the child, except for two calls to the kernel
    // that lock nothing. The child never returns from here.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            let said = action();
            let told = answers.write_all(&said);
            // SAFETY: this ends the child without the handlers that the parent runs at its own end.
            unsafe { libc::_exit(told.is_err().into()) }
        }
        pid => {
            let pid = Pid::from_raw(pid).expect("fork answers with a process");
            Ok(Child { pid, answer: File::from(OwnedFd::from(answer)) })
        }
    }
}

/// Gives the calling thread time slices of this many nanoseconds; short ones let it run sooner.
pub(crate) fn take_short_turns(nanos: u64) -> io::Result<()> {
    // sched_setattr(2); the size of the first version of the struct is enough.
    let mut attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: 0,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 0,
        sched_deadline: 0,
        sched_period: 0,
    };
    let (size, place) = (attributes.size, &raw mut attributes);
    // SAFETY: both calls read and write one struct, whose size they are told, and which outlives
    // them.
    let result = unsafe {
        match libc::syscall(libc::SYS_sched_getattr, 0, place, size, 0) {
            0 => {
                (*place).sched_runtime = nanos;
                libc::syscall(libc::SYS_sched_setattr, 0, place, 0)
            }
            failed => failed,
        }
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Gives the calling thread, not its children, real-time priority.
pub(crate) fn be_real_time() -> io::Result<()> {
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // The kernel's struct; that of the C library may be longer.
    let priority: libc::c_int = 1;
    // SAFETY: the call reads one int, which outlives it. It goes to the kernel directly, since
    // musl's function of this name does nothing.
    let result =
        unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const priority) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rustix::process::test_kill_process;

    use super::*;

    /// A child that only answers, which a process of several threads may have, too.
    fn child(answer: [u8; 2]) -> Child {
        // SAFETY: the action only copies two bytes.
        unsafe { fork_unchecked(|| answer) }.unwrap()
    }

    #[test]
    fn children_answer_and_are_not_left_behind() {
        assert_eq!(child([1, 2]).join().unwrap(), [1, 2]);
        let unwanted = child([3, 4]);
        let pid = unwanted.pid;
        drop(unwanted);
        // A child that has ended, but was not waited for, would still be there.
        assert_eq!(test_kill_process(pid), Err(Errno::SRCH));
        assert!(!Path::new(&format!("/proc/{}", pid.as_raw_nonzero())).exists());
    }

    #[test]
    fn one_of_several_threads_has_no_children() {
        std::thread::scope(|scope| {
            let (end, wait) = std::sync::mpsc::channel::<()>();
            scope.spawn(move || wait.recv());
            assert!(fork(|| [0; 2]).is_err());
            drop(end);
        });
    }
}
