//! Starts a command in a near namespace, under an init of ours.
//!
//! Specification: namespaces(7), capabilities(7) on the ambient set.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};

use live::Namespace;
use nix::sched::{CloneFlags, unshare};
use rustix::thread::{
    CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use super::files::Files;
use super::{init, mounts};
use crate::LabError;

/// The capabilities that the init needs until it drops all: to mount, and to drop capabilities.
const NEEDED: CapabilitySet = CapabilitySet::SYS_ADMIN.union(CapabilitySet::SETPCAP);

/// A command, ready to be started.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    /// The command and its arguments.
    pub(super) command: &'a [OsString],
    /// The variables that its environment has besides ours.
    pub(super) environment: Vec<(&'static str, String)>,
    /// The namespace in which it runs.
    pub(super) near: Namespace,
    /// The files in `/etc` that it sees.
    pub(super) files: &'a Files,
    /// Its soft limit on descriptors.
    pub(super) descriptors: u64,
    /// The init's end of the [line](super::control).
    pub(super) line: OwnedFd,
}

/// The end of a command.
#[derive(Debug)]
pub(super) struct Over {
    /// The exit code, or 128 + N if signal N killed it.
    pub(super) code: u8,
    /// The things that the command had to do without.
    pub(super) notes: Vec<String>,
}

impl Launch<'_> {
    /// Starts the command, and waits until all processes that it has started are gone. The calling
    /// thread can be used for nothing else afterwards.
    ///
    /// # Errors
    /// If the machine forbids it.
    pub(super) fn run(self) -> Result<Over, LabError> {
        let failed = |what: &'static str| {
            move |error: io::Error| {
                LabError::Machine(format!(
                    "{what}: {error}; `unbloat lab --check` says what this machine allows"
                ))
            }
        };
        self.near.enter().map_err(failed("entering a network namespace"))?;
        unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID)
            .map_err(|error| failed("making a mount and a process namespace")(error.into()))?;
        let notes = self.files.put().map_err(failed("arranging mounts"))?;
        mounts::without_rights().map_err(failed("arranging mounts"))?;
        lend().map_err(failed("lending the init what it needs"))?;
        // The init ends with the thread that has started it, so this thread waits.
        let status = self.start().map_err(failed("starting the init of the command"))?;
        Ok(Over { code: code(status), notes })
    }

    fn start(self) -> io::Result<ExitStatus> {
        // `Command` is dropped at once, and our copy of the line with it: only the child has one
        // then.
        let mut child = Command::new("/proc/self/exe")
            .arg0(init::NAME)
            .arg(self.descriptors.to_string())
            .args(self.command)
            .envs(self.environment)
            .stdin(self.line)
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
