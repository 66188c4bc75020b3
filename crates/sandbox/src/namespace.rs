//! Network namespaces, each with a stack of its own.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::panic::resume_unwind;
use std::thread;

use kernel::Netlink;
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space};

use crate::network::device;
use crate::{network, sys};

/// A network namespace. It exists as long as this value, a process in it or a socket of it does.
#[derive(Debug)]
pub struct Namespace {
    fd: OwnedFd,
}

impl Namespace {
    /// A new namespace, with its loopback device up. Call [`isolate`](crate::isolate) first.
    ///
    /// # Errors
    /// If the machine forbids it.
    pub fn new() -> io::Result<Self> {
        on_a_thread(|| {
            sys::unshare(UnshareFlags::NEWNET)?;
            network::set_up("lo")?;
            Self::current()
        })?
    }

    /// The namespace of the calling thread.
    ///
    /// # Errors
    /// If there is no `/proc`.
    pub fn current() -> io::Result<Self> {
        Ok(Self { fd: File::open("/proc/thread-self/ns/net")?.into() })
    }

    /// Moves the calling thread, and no other, into this namespace.
    ///
    /// # Errors
    /// If the machine forbids it.
    pub fn enter(&self) -> io::Result<()> {
        Ok(move_into_link_name_space(self.fd.as_fd(), Some(LinkNameSpaceType::Network))?)
    }

    /// Runs `action` in this namespace, on a thread of its own. Sockets that it makes stay in the
    /// namespace.
    ///
    /// # Errors
    /// If the machine forbids it.
    pub fn run<T: Send>(&self, action: impl FnOnce() -> T + Send) -> io::Result<T> {
        on_a_thread(|| self.enter().map(|()| action()))?
    }

    /// Joins this namespace and another by a pair of devices: `device` in this one, `there` in
    /// `other`. Both are up, and have no addresses.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn join(&self, device: &str, other: &Self, there: &str) -> io::Result<()> {
        /// Ethernet's MTU.
        const MTU: u32 = 1500;
        self.run(|| {
            device::make_pair(&Netlink::open()?, device, other.as_fd(), there, MTU)?;
            network::set_up(device)
        })??;
        other.run(|| network::set_up(there))?
    }

    /// Sets a kernel parameter of this namespace: `net/ipv4/tcp_ecn` to `1`.
    ///
    /// # Errors
    /// If there is no parameter of this name, or if the value is refused.
    pub fn set(&self, parameter: &str, value: &str) -> io::Result<()> {
        // /proc/sys/net shows the namespace of the thread that opens a file in it. No file is
        // created.
        let write = || fs::OpenOptions::new().write(true).open(path(parameter));
        self.run(|| io::Write::write_all(&mut write()?, value.as_bytes()))?
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path(parameter))))
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn path(parameter: &str) -> String {
    format!("/proc/sys/{parameter}")
}

/// Runs `action` on a new thread, since a thread that has entered a namespace cannot always return.
fn on_a_thread<T: Send>(action: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let running = thread::Builder::new().spawn_scoped(scope, action)?;
        Ok(running.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
