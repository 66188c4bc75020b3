//! The init of the command: process 1 of its process namespace.
//!
//! Specification: pid_namespaces(7), capabilities(7), proc(5).
//!
//! When the init ends, for whatever reason, the kernel ends all processes that the command has
//! left. The init ends when the command does, and when the process that started it is gone.

use std::env::{self, ArgsOs};
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;

use rustix::io::Errno;
use rustix::mount::MountFlags;
use rustix::process::{
    self, Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, pidfd_open, pidfd_send_signal,
};

use super::control::{self, Report, Step};
use super::{signals, terminal};
use crate::{drop_privileges, forbid_real_time};

/// The name of the init's process, by which the program recognizes its role.
pub(super) const NAME: &str = "unbloat-lab-init";

/// The exit code of an init that was not started for a command.
const MISUSED: u8 = 2;
/// The exit code of an init that has reported a failure to start the command.
const FAILED: u8 = 127;
/// The exit code of a command that `SIGKILL` has ended, as in a shell.
const KILLED: i32 = 128 + 9;

/// The `errno` for an error that has none, such as an impossible program name.
const INVALID: i32 = Errno::INVAL.raw_os_error();

/// Looks after a command, if [`Launch::run`](super::Launch::run) has started this process for that.
/// Returns the exit code then; `None` in any other process. `main` must call this first.
pub fn init() -> Option<ExitCode> {
    let mut arguments = env::args_os();
    (arguments.next()? == NAME).then(|| main(arguments))
}

/// Looks after a command. `arguments` are the soft limit on descriptors, and the command. The
/// control line is in the place of the standard input.
fn main(mut arguments: ArgsOs) -> ExitCode {
    let files = arguments.next().and_then(|files| files.to_str()?.parse().ok());
    let (Some(files), Some(program)) = (files, arguments.next()) else {
        return ExitCode::from(MISUSED);
    };
    if process::getpid() != Pid::INIT {
        return ExitCode::from(MISUSED);
    }
    let (child, report) = match begin(files, program, arguments) {
        Ok((child, has_proc)) => (Some(child), Report::Begun { has_proc }),
        Err((step, error)) => (None, Report::Failed(step, error.raw_os_error().unwrap_or(INVALID))),
    };
    match (child, control::report(io::stdin().as_fd(), report)) {
        (Some(child), Ok(())) => look_after(&child),
        _ => ExitCode::from(FAILED),
    }
}

/// Starts the command. Returns true if `/proc` shows only the command and its children.
fn begin(files: u64, program: OsString, rest: ArgsOs) -> Result<(Child, bool), (Step, io::Error)> {
    let at = |step| move |error| (step, error);
    let (stdin, tty) = control::take(io::stdin().as_fd()).map_err(at(Step::Input))?;
    if let Some(tty) = tty {
        // A shell that does not get the terminal says so itself.
        let _ = terminal::adopt(tty);
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let has_proc = rustix::mount::mount("proc", "/proc", "proc", flags, None).is_ok();
    drop_privileges().map_err(at(Step::Rights))?;
    // Changes of privileges clear this signal, so it is set after all of them.
    process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|errno| (Step::Bond, errno.into()))?;
    limit(files).map_err(at(Step::Limits))?;
    signals::let_go().map_err(at(Step::Signals))?;
    let child = start(program, rest, stdin.into()).map_err(at(Step::Start))?;
    Ok((child, has_proc))
}

fn start(program: OsString, arguments: ArgsOs, stdin: Stdio) -> io::Result<Child> {
    Command::new(program).args(arguments).stdin(stdin).spawn()
}

/// Gives the command the limits that its parent had before it raised its own.
fn limit(files: u64) -> io::Result<()> {
    let limit = process::getrlimit(Resource::Nofile);
    process::setrlimit(Resource::Nofile, Rlimit { current: Some(files), ..limit })?;
    forbid_real_time()
}

/// Waits for the command, and reaps every other process that ends meanwhile.
fn look_after(child: &Child) -> ExitCode {
    let command = Pid::from_child(child);
    listen(command);
    loop {
        match process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == command => {
                let killed = || status.terminating_signal().map(|signal| 128 + signal);
                return ExitCode::from(status.exit_status().or_else(killed).unwrap_or(KILLED) as u8);
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return ExitCode::from(MISUSED),
        }
    }
}

/// Passes signals on, on a thread of its own, until the parent is gone.
fn listen(command: Pid) {
    // The descriptor is opened before the command is waited for, so that its number cannot belong
    // to another process.
    let command = pidfd_open(command, PidfdFlags::empty());
    thread::spawn(move || {
        while let Some(signal) = control::signal(io::stdin().as_fd()) {
            if let Ok(command) = &command {
                // The command may have ended.
                let _ = pidfd_send_signal(command, signal);
            }
        }
        std::process::exit(KILLED);
    });
}
