//! Sockets whose packets take one interface, and may go past a shaper there.

use std::io;
use std::os::fd::AsFd;

use kernel::stamp_receptions;
use socket2::{SockRef, Socket};

/// The way of a prober's packets.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// The name of the interface.
    pub(crate) interface: String,
    /// The firewall mark with which packets go past a shaper; `None` if they go through it.
    pub(crate) mark: Option<u32>,
}

impl Route {
    /// Makes a socket use this way, without waiting, with the times of reception.
    pub(crate) fn bind(&self, socket: &impl AsFd) -> io::Result<()> {
        let reference = SockRef::from(socket);
        reference.bind_device(Some(self.interface.as_bytes()))?;
        if let Some(mark) = self.mark {
            reference.set_mark(mark)?;
        }
        reference.set_nonblocking(true)?;
        stamp_receptions(socket)
    }

    /// Makes a socket use this way again, after an error: there may be a new interface of the same name.
    /// Without any, what was sent stays without an answer.
    pub(crate) fn renew(&self, socket: &impl AsFd) {
        let _ = self.bind(socket);
    }

    /// A new socket that uses this way.
    pub(crate) fn socket(
        &self,
        domain: socket2::Domain,
        kind: socket2::Type,
        protocol: socket2::Protocol,
    ) -> io::Result<Socket> {
        let socket = Socket::new(domain, kind, Some(protocol))?;
        self.bind(&socket)?;
        Ok(socket)
    }
}
