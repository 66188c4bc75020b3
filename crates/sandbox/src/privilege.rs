//! Lets an ordinary user make namespaces, and drops that right again.
//!
//! Specification: user_namespaces(7), capabilities(7).

use std::io;

use rustix::io::Errno;
pub use rustix::thread::CapabilitySet;
use rustix::thread::{
    CapabilitySets, UnshareFlags, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

use crate::{network, priority, sys};
use failure::{Failure, Settings, Stage};
use identity::Identity;

mod failure;
mod identity;
#[cfg(test)]
mod tests;

/// The ways in which [`isolate`] succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// By a user namespace of the process's own.
    UserNamespace,
    /// As root, who needs no user namespace where these are forbidden.
    Root,
}

/// The error of [`isolate`]: the setting that forbids namespaces, and the remedy.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct IsolationError(pub String);

/// Moves this process into a user namespace, in which it may make network namespaces. Must be
/// called while there is only one thread.
///
/// The user id stays the same, except that root is called `nobody` inside, so that processes
/// started there can make user namespaces of their own without any capability. Root's files still
/// belong to root. With [`Isolation::Root`], where there is no user namespace, all ids stay the
/// same.
///
/// # Errors
/// If neither is allowed: the setting that forbids it, and the remedy.
pub fn isolate() -> Result<Isolation, IsolationError> {
    let threads = sys::threads().map_err(|error| {
        IsolationError(format!("the lab needs /proc, and cannot read /proc/self/status: {error}"))
    })?;
    if threads != 1 {
        let text =
            format!("only a process of one thread can be isolated, and this one has {threads}");
        return Err(IsolationError(text));
    }
    // Only root may do this. For others the lab works without it.
    let _ = priority::allow_real_time();
    // A process cannot leave a user namespace, so a child tries first whether one works.
    match rehearse() {
        Ok(()) => enter().map(|()| Isolation::UserNamespace),
        Err(_) if needs_none() => return Ok(Isolation::Root),
        Err(failure) => Err(failure),
    }
    .map_err(|failure| IsolationError(failure.explain(&Settings::of_this_machine())))
}

/// Gives up every capability of the calling thread, and of all that it starts from now on,
/// permanently. Such a process may still make user namespaces of its own, in which it has all
/// capabilities, unless its user id is 0: id 0 needs `CAP_SETFCAP` (since Linux 5.12). After
/// [`isolate`], only a process with [`Isolation::Root`] has id 0.
///
/// # Errors
/// If the kernel is too old.
pub fn drop_privileges() -> io::Result<()> {
    keep_only(CapabilitySet::empty())
}

/// Gives up every capability of the calling thread, and of all that it starts from now on,
/// permanently, except for those of `kept` that it has.
///
/// # Errors
/// If the kernel is too old.
pub fn keep_only(kept: CapabilitySet) -> io::Result<()> {
    // Program files with capabilities, or of root, give no privileges either.
    set_no_new_privs(true)?;
    clear_ambient_capability_set()?;
    let all = CapabilitySet::from_bits_retain(!0).iter_names().map(|(_, one)| one);
    for capability in all.filter(|one| !kept.contains(*one)) {
        match remove_capability_from_bounding_set(capability) {
            // This kernel does not know the capability, or the process may not change its bounding
            // set, and so has none to lose.
            Ok(()) | Err(Errno::INVAL | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let kept = kept & capabilities(None)?.permitted;
    let inheritable = CapabilitySet::empty();
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable };
    Ok(set_capabilities(None, sets)?)
}

/// Tries in a child process the steps of [`isolate`], and those that the lab takes inside.
fn rehearse() -> Result<(), Failure> {
    let at = |stage| move |error: io::Error| Failure::new(stage, &error);
    let child = sys::fork(|| Failure::to_bytes(enter().and_then(|()| try_a_stack())));
    let answer = child.and_then(sys::Child::join).map_err(at(Stage::Rehearsal))?;
    Failure::from_bytes(answer)
}

fn try_a_stack() -> Result<(), Failure> {
    let at = |stage| move |error: io::Error| Failure::new(stage, &error);
    sys::unshare(UnshareFlags::NEWNET).map_err(at(Stage::Network))?;
    network::set_up("lo").map_err(at(Stage::Administration))
}

/// Enters a new user namespace, and maps the ids in it.
fn enter() -> Result<(), Failure> {
    let at = |stage| move |error: io::Error| Failure::new(stage, &error);
    let identity = Identity::of_this_process().map_err(at(Stage::IdMapping))?;
    let mapper = identity.mapper().map_err(at(Stage::IdMapping))?;
    sys::unshare(UnshareFlags::NEWUSER).map_err(at(Stage::User))?;
    mapper.write().map_err(at(Stage::IdMapping))
}

/// True if this process can make network namespaces without a user namespace.
fn needs_none() -> bool {
    let needed = CapabilitySet::SYS_ADMIN | CapabilitySet::NET_ADMIN;
    capabilities(None).is_ok_and(|sets| sets.effective.contains(needed))
}
