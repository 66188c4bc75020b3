//! Traffic within the local network: the part of what passes the interface that does not reach the line.
//!
//! The kernel tells the bytes of each TCP connection, and which hosts are reached without a gateway. It does not tell
//! them of other protocols, of other namespaces (containers), and of forwarded packets: these count as load of the
//! line.

use std::io;
use std::net::IpAddr;

use kernel::Connections;
use measure::interface::NetworkPart;
use spikes::Traffic;
use units::{Bytes, Span, Time};

use count::Count;

mod count;

/// The rate from which connections are listed: 1 Mbit/s, in bytes a second. A list costs nearly a millisecond of
/// processor time, mostly for the kernel's table, however few connections there are.
const LEAST: f64 = 125_000.0;

/// What passed the interface in a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beat {
    /// The end of the time.
    pub(crate) at: Time,
    pub(crate) during: Span,
    /// The index of the interface.
    pub(crate) interface: u32,
    pub(crate) passed: Traffic,
}

impl Beat {
    fn is_load(&self) -> bool {
        let most = self.passed.up.max(self.passed.down);
        most.0 as f64 >= LEAST * self.during.as_secs_f64()
    }
}

/// The traffic within the local network, beat by beat.
pub(crate) struct LocalTraffic {
    connections: Connections,
    count: Count,
}

impl LocalTraffic {
    /// Begins to count.
    ///
    /// # Errors
    /// If the kernel does not tell of connections.
    pub(crate) fn open() -> io::Result<Self> {
        let connections = Connections::open()?;
        let count = Count::new(&connections.list()?);
        Ok(Self { connections, count })
    }

    /// The part of what passed the interface that was local. `part_of` tells in which part of the network an address
    /// is, and fails if nobody knows.
    pub(crate) fn of(
        &mut self,
        beat: Beat,
        part_of: impl Fn(IpAddr) -> io::Result<NetworkPart>,
    ) -> Traffic {
        let listed = if beat.is_load() { self.connections.list().ok() } else { None };
        // If more have ended than the kernel keeps for us, their last bytes are not known.
        let ended = self.connections.ended().unwrap_or_default();
        match listed {
            Some(listed) => self.count.take(beat, &listed, &ended, part_of),
            None => {
                self.count.pass();
                Traffic { up: Bytes::ZERO, down: Bytes::ZERO }
            }
        }
    }
}
