//! The client's end of the path: the interface through which packets to the server leave, its
//! queue, and the state of its Wi-Fi, if it has any. It needs no privilege.

use std::io;
use std::net::IpAddr;

use observation::{Interface, Wireless};
use units::Bytes;

mod netlink;

/// The interface through which packets to a server leave, as the route's lookup found it.
#[derive(Debug)]
pub struct Egress {
    kernel: netlink::Kernel,
    index: u32,
    /// True if hosts are beside each other on the interface's link, and not the other end of a tunnel alone.
    is_shared: bool,
    interface: Interface,
}

/// The part of the network in which an address is, seen from an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkPart {
    /// On the interface's own link: packets go there without a gateway.
    Local,
    /// Behind the interface, but not on its link.
    Behind,
    /// Not behind the interface: this machine itself, or behind another one.
    Elsewhere,
}

/// The state of an interface's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The bytes in the queue.
    pub backlog: Bytes,
    /// Packets dropped since the queue was created.
    pub drops: u64,
}

/// The bytes that have passed an interface since it was made, and whether more can pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Bytes that were sent.
    pub up: Bytes,
    /// Bytes that were received.
    pub down: Bytes,
    /// True if the other end of the link is there: a cable is plugged in, or the Wi-Fi has an access point.
    pub has_carrier: bool,
}

impl Egress {
    /// Asks the kernel for the interface of the route to this address.
    ///
    /// # Errors
    /// If there is no route; `Unsupported` on systems other than Linux.
    pub fn towards(address: IpAddr) -> io::Result<Self> {
        let kernel = netlink::Kernel::open()?;
        let index = kernel.interface_towards(address)?;
        let (interface, is_shared) = kernel.interface(index)?;
        Ok(Self { kernel, index, is_shared, interface })
    }

    /// The interface's properties. Its rate is the one that a wired network card has negotiated;
    /// for Wi-Fi there is none.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The interface's number.
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// The bytes that have passed the interface, and its carrier.
    ///
    /// # Errors
    /// If the interface is gone; `Unsupported` on systems other than Linux.
    pub fn passed(&self) -> io::Result<Passed> {
        self.kernel.passed(self.index)
    }

    /// The part of the network in which this address is.
    ///
    /// # Errors
    /// If there is no route; `Unsupported` on systems other than Linux.
    pub fn part_of(&self, address: IpAddr) -> io::Result<NetworkPart> {
        self.kernel.part_of(self.index, self.is_shared, address)
    }

    /// The state of the interface's queue: the root, with all queues below it.
    ///
    /// # Errors
    /// If the interface is gone, or has no statistics of its queue.
    pub fn waiting(&self) -> io::Result<Waiting> {
        self.kernel.waiting(self.index)
    }

    /// The state of the interface's Wi-Fi; `None` if it has none, or if the kernel does not report
    /// it.
    pub fn wireless(&self) -> Option<Wireless> {
        self.interface.wireless.then(|| self.kernel.wireless(self.index))?
    }
}
