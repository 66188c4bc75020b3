//! Our own end of the path: through which interface packets to the server leave, and what waits
//! there; if it is Wi-Fi, how fast that is. It takes no rights.

use std::io;
use std::net::IpAddr;

use results::observation::{Interface, Wireless};
use units::Bytes;

#[cfg(not(target_os = "linux"))]
use elsewhere as platform;
#[cfg(target_os = "linux")]
use linux as platform;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

/// The interface through which packets to a server leave, as it was when the route was looked up.
#[derive(Debug)]
pub struct Egress {
    kernel: platform::Kernel,
    index: u32,
    interface: Interface,
}

/// What is in the queue of an interface, and what it has dropped since it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// What waits.
    pub backlog: Bytes,
    /// Packets dropped.
    pub drops: u64,
}

impl Egress {
    /// Asks the kernel which way packets to this address go.
    ///
    /// # Errors
    /// If there is no way; `Unsupported` on systems other than Linux.
    pub fn towards(address: IpAddr) -> io::Result<Self> {
        let kernel = platform::Kernel::open()?;
        let index = kernel.interface_towards(address)?;
        let interface = kernel.interface(index)?;
        Ok(Self { kernel, index, interface })
    }

    /// What the interface is like. Its rate is the one that a wired network card has agreed upon; of
    /// Wi-Fi it is not known.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// What waits in its queue now: that of the root, with all below it.
    ///
    /// # Errors
    /// If the interface is gone, or tells nothing of its queue.
    pub fn waiting(&self) -> io::Result<Waiting> {
        self.kernel.waiting(self.index)
    }

    /// How its Wi-Fi is doing now; nothing if it is none, or does not tell.
    pub fn wireless(&self) -> Option<Wireless> {
        self.interface.wireless.then(|| self.kernel.wireless(self.index))?
    }
}
