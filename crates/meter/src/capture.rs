//! Writes the packets that pass one end of a link, as a capture on the node there would have them.
//!
//! Packets that the node sends are captured before the queue, as `tcpdump` on a computer behind a
//! slow modem captures them: the wait in the queue is part of the round trips that a reader of the
//! file finds. The bytes of the packets come from the driver.

use std::io;
use std::net::Ipv4Addr;

use scenario::Scenario;
use units::{DirectionId, Time, Way};
use wire::{Ethernet, Interface, MacAddress, PacketDirection, PcapngWriter};

/// A capture (pcapng): where to write it, and which packets it has.
#[derive(Clone, Debug)]
pub struct CaptureOptions<W> {
    /// The destination, which should be buffered. Flushed at the end of the run.
    pub writer: W,
    /// The direction whose near end is captured: its packets before their queue, and those of the
    /// opposite direction as they are delivered.
    pub direction: DirectionId,
    /// The most bytes that are kept of a packet, its Ethernet header included; 0 for all.
    pub snap: u32,
}

/// A capture of the packets that pass one end of a link.
#[derive(Debug)]
pub struct Capture<W> {
    file: PcapngWriter<W>,
    /// The direction whose packets the node sends, before its queue.
    outbound: DirectionId,
    /// The address of the node whose end of the link is captured.
    near: MacAddress,
    /// The address of the node at the other end.
    far: MacAddress,
    /// The first error, after which nothing is written; `None` before an error.
    error: Option<io::Error>,
}

impl<W: io::Write> Capture<W> {
    /// Begins the file. `nodes` are all nodes with their addresses. A node's place among them is
    /// part of its Ethernet address, so that the order must not change.
    ///
    /// # Errors
    /// Any error of writing.
    pub fn new(
        options: CaptureOptions<W>,
        scenario: &Scenario,
        nodes: &[(Ipv4Addr, &str)],
    ) -> io::Result<Self> {
        let CaptureOptions { writer, direction: outbound, snap } = options;
        let link = &scenario.links[outbound.link()];
        let (near, far) = match outbound.way() {
            Way::Forward => (&link.from, &link.to),
            Way::Reverse => (&link.to, &link.from),
        };
        let name = scenario.direction_name(outbound);
        let application = concat!("unbloat ", env!("CARGO_PKG_VERSION"));
        let mut file = PcapngWriter::new(writer, application, &scenario.title)?;
        let description = format!("at {near}, before the queue of {name}");
        file.interface(&Interface { name: &name, description: &description, snap })?;
        // `editcap` and `mergecap` write no file whose names come before its interfaces.
        file.names(nodes)?;
        let mac = |node: &String| {
            let place = nodes.iter().position(|(_, name)| name == node).unwrap_or(nodes.len());
            MacAddress::local(place as u32 + 1)
        };
        Ok(Self { file, outbound, near: mac(near), far: mac(far), error: None })
    }

    /// The direction, seen from the captured node, of a packet that is offered to the queue of
    /// `direction`; `None` if the packet is not captured there.
    #[inline]
    pub fn of_offered(&self, direction: DirectionId) -> Option<PacketDirection> {
        let is_captured = direction == self.outbound && self.error.is_none();
        is_captured.then_some(PacketDirection::Outbound)
    }

    /// The direction, seen from the captured node, of a packet that has reached the far end of
    /// `direction`; `None` if the packet is not captured there.
    #[inline]
    pub fn of_delivered(&self, direction: DirectionId) -> Option<PacketDirection> {
        let is_captured = direction == self.outbound.opposite() && self.error.is_none();
        is_captured.then_some(PacketDirection::Inbound)
    }

    /// The Ethernet header of a packet: from one end of the link to the other, whatever the packet's
    /// own source and destination are.
    pub const fn ethernet(&self, direction: PacketDirection) -> Ethernet {
        match direction {
            PacketDirection::Outbound => Ethernet { source: self.near, destination: self.far },
            PacketDirection::Inbound => Ethernet { source: self.far, destination: self.near },
        }
    }

    /// Writes a frame with the time that the file shows for it, counted from 1970.
    pub fn frame(&mut self, time: Time, direction: PacketDirection, frame: &[u8]) {
        if self.error.is_none() {
            self.error = self.file.packet(0, time, direction, frame).err();
        }
    }

    /// Flushes the file.
    ///
    /// # Errors
    /// The first error of writing; the file ends there.
    pub fn finish(self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => self.file.finish(),
        }
    }
}
