//! User and group ids in a user namespace.
//!
//! Specification: user_namespaces(7), "User and group ID mappings".

use std::fs::{self, File};
use std::io::{self, PipeWriter, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, open, openat};
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, capabilities};

use crate::sys::{self, Child};

/// The id of the user without any rights.
const NOBODY: u32 = 65534;

/// The mapping of ids for this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// One user and one group, with ids inside and outside; no other ids are mapped.
    Alone { inside: (u32, u32), outside: (u32, u32) },
    /// Root, with its id and that of `nobody` swapped: id 0 cannot make a user namespace without
    /// `CAP_SETFCAP` (since Linux 5.12). All other ids stay the same.
    Swapped,
}

impl Identity {
    pub(super) fn of_this_process() -> io::Result<Self> {
        let outside = (geteuid().as_raw(), getegid().as_raw());
        let needed = CapabilitySet::SETUID | CapabilitySet::SETGID | CapabilitySet::SETFCAP;
        Ok(match outside.0 {
            0 if capabilities(None)?.effective.contains(needed) => Self::Swapped,
            0 => Self::Alone { inside: (NOBODY, NOBODY), outside },
            _ => Self::Alone { inside: outside, outside },
        })
    }

    /// The writer of this mapping, to be made before the namespace exists and used afterwards.
    pub(super) fn mapper(self) -> io::Result<IdMapper> {
        match self {
            Self::Alone { .. } => Ok(IdMapper::Ourselves(self)),
            Self::Swapped => {
                // Only a process outside the namespace may map ids other than its own.
                let us = open("/proc/self", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
                let (mut waits, go) = io::pipe()?;
                let mut go = Some(go);
                let child = sys::fork(|| {
                    // With its own copy closed, the child notices if the parent ends without a
                    // message.
                    drop(go.take());
                    let result = waits.read_exact(&mut [0]).and_then(|()| write_all_ids(&us));
                    let code = result.err().map_or(0, |error| error.raw_os_error().unwrap_or(255));
                    [0, code as u8]
                })?;
                let go = go.expect("only the child has taken it");
                Ok(IdMapper::Child { go, child })
            }
        }
    }
}

/// Writes the mapping of ids for a new user namespace.
#[derive(Debug)]
pub(super) enum IdMapper {
    Ourselves(Identity),
    /// A child outside the namespace. `go` is dropped before `child` is waited for, so the child
    /// notices if the mapping is not wanted.
    Child {
        go: PipeWriter,
        child: Child,
    },
}

impl IdMapper {
    /// Writes the mapping.
    pub(super) fn write(self) -> io::Result<()> {
        match self {
            Self::Ourselves(identity) => write_own_ids(identity),
            Self::Child { mut go, child } => {
                let told = go.write_all(&[0]);
                drop(go);
                told?;
                match child.join()? {
                    [_, 0] => Ok(()),
                    [_, code] => Err(io::Error::from_raw_os_error(code.into())),
                }
            }
        }
    }
}

fn write_own_ids(identity: Identity) -> io::Result<()> {
    let Identity::Alone { inside, outside } = identity else { return Ok(()) };
    // A process that leaves a group could gain rights that the group is denied.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{} {} 1", inside.0, outside.0))?;
    fs::write("/proc/self/gid_map", format!("{} {} 1", inside.1, outside.1))
}

/// Maps all ids, or at least those that a container usually has.
fn write_all_ids(process: &OwnedFd) -> io::Result<()> {
    write_map(process, "uid_map").and_then(|()| write_map(process, "gid_map"))
}

fn write_map(process: &OwnedFd, map: &str) -> io::Result<()> {
    let write = |ids: &str| {
        let file = openat(process.as_fd(), map, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        File::from(file).write_all(ids.as_bytes())
    };
    write(&swapped(u32::MAX)).or_else(|_| write(&swapped(1 << 16)))
}

/// A mapping, `inside outside count`: 0 and `nobody` swapped, all other ids below `end` unchanged.
fn swapped(end: u32) -> String {
    let (first, rest) = (NOBODY + 1, end - NOBODY - 1);
    format!("0 {NOBODY} 1\n1 1 {}\n{NOBODY} 0 1\n{first} {first} {rest}\n", NOBODY - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_and_nobody_swap_ids() {
        let all = "0 65534 1\n1 1 65533\n65534 0 1\n65535 65535 4294901760\n";
        assert_eq!(swapped(u32::MAX), all);
        // As many ids as a container usually has.
        let few = "0 65534 1\n1 1 65533\n65534 0 1\n65535 65535 1\n";
        assert_eq!(swapped(1 << 16), few);
        for (ids, end) in [(all, u64::from(u32::MAX)), (few, 1 << 16)] {
            let count = |line: &str| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
            assert_eq!(ids.lines().map(count).sum::<u64>(), end, "nobody is left out");
        }
    }
}
