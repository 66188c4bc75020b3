//! Starts a command in its network namespace, under an init.
//!
//! Specification: namespaces(7), capabilities(7) on the ambient set.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{self, ExitStatus};

use nix::sched::{CloneFlags, unshare};
use rustix::thread::{
    CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use super::error::SandboxError;
use super::files::{self, Replacement};
use super::{init, mounts};
use crate::Namespace;

/// The capabilities that the init needs until it drops all: to mount, and to drop capabilities.
const NEEDED: CapabilitySet = CapabilitySet::SYS_ADMIN.union(CapabilitySet::SETPCAP);

/// A command, and the surroundings in which it runs.
#[derive(Debug)]
pub struct Command<'a> {
    /// The program and its arguments; at least one word.
    pub words: &'a [OsString],
    /// Variables of the command's environment, in addition to those of this process.
    pub environment: Vec<(&'static str, String)>,
    /// The network namespace in which the command runs.
    pub namespace: Namespace,
    /// The files that the command sees in place of the host's.
    pub files: &'a [Replacement],
    /// The command's soft limit on file descriptors.
    pub descriptors: u64,
}

/// A command, ready to be started.
#[derive(Debug)]
pub struct Launch<'a> {
    pub(super) command: Command<'a>,
    /// The init's end of the [line](super::control).
    pub(super) line: OwnedFd,
}

/// The end of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code, or 128 + N if signal N killed it.
    pub code: u8,
    /// The things that the command had to do without, one line each.
    pub notes: Vec<String>,
}

impl Launch<'_> {
    /// Starts the command, and waits until all processes that it has started are gone. The calling
    /// thread can be used for nothing else afterwards.
    ///
    /// # Errors
    /// If the machine forbids it.
    pub fn run(self) -> Result<Outcome, SandboxError> {
        let refused = |what| move |error| SandboxError::Refused { what, error };
        self.command.namespace.enter().map_err(refused("entering a network namespace"))?;
        unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID)
            .map_err(|error| refused("making a mount and a process namespace")(error.into()))?;
        let arranging = refused("arranging mounts");
        let notes = files::put(self.command.files).map_err(arranging)?;
        mounts::without_rights().map_err(arranging)?;
        lend().map_err(refused("lending the init what it needs"))?;
        // The init ends with the thread that has started it, so this thread waits.
        let status = self.start().map_err(refused("starting the init of the command"))?;
        Ok(Outcome { code: code(status), notes })
    }

    fn start(self) -> io::Result<ExitStatus> {
        let Self { command, line } = self;
        // The builder is dropped at once, and with it this process's copy of the line: only the
        // child has one then.
        let mut child = process::Command::new("/proc/self/exe")
            .arg0(init::NAME)
            .arg(command.descriptors.to_string())
            .args(command.words)
            .envs(command.environment)
            .stdin(line)
            .spawn()?;
        child.wait()
    }
}

fn lend() -> io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable |= NEEDED & sets.permitted;
    set_capabilities(None, sets)?;
    for (_, one) in (NEEDED & sets.permitted).iter_names() {
        configure_capability_in_ambient_set(one, true)?;
    }
    Ok(())
}

fn code(status: ExitStatus) -> u8 {
    let killed = || status.signal().map(|signal| 128 + signal);
    status.code().or_else(killed).unwrap_or(1) as u8
}
