//! Writes the packets that pass one end of a link, as a capture on the node there would have them.
//!
//! Packets that the node sends are captured before the queue, as `tcpdump` on a computer behind a
//! slow modem captures them. So the wait in the queue is part of the round trips that a reader of
//! the file finds. Packets are written as they would be on a wire: super-packets are cut, and all
//! checksums are complete.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use live::PacketSlices;
use scenario::Scenario;
use units::{DirectionId, Span, Time, Way};
use wire::{Interface, MacAddress, PacketDirection, PcapngWriter};

use super::background::Background;
use crate::PcapOptions;
use crate::plan::Plan;

const ETHERNET_HEADER: usize = 14;

/// Writes the packets that pass one end of a link.
pub(super) struct Capture {
    file: PcapngWriter<Background>,
    /// The direction whose packets the node sends, before its queue.
    outbound: DirectionId,
    near: MacAddress,
    far: MacAddress,
    /// The time from 1970 until the run's clock showed zero; `None` before the first packet.
    start: Option<Span>,
    /// Buffers for building packets and frames.
    packet: Vec<u8>,
    frame: Vec<u8>,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

impl Capture {
    /// Begins the file.
    pub(super) fn new(options: PcapOptions, scenario: &Scenario, plan: &Plan) -> io::Result<Self> {
        let PcapOptions { writer, direction: outbound, snap } = options;
        let (from, to) = (plan.links[outbound.link()].from, plan.links[outbound.link()].to);
        let (near, far) = match outbound.way() {
            Way::Forward => (from, to),
            Way::Reverse => (to, from),
        };
        let name = scenario.direction_name(outbound);
        let application = concat!("unbloat ", env!("CARGO_PKG_VERSION"));
        let mut file = PcapngWriter::new(Background::new(writer)?, application, &scenario.title)?;
        let names: Vec<_> = plan.nodes.iter().map(|node| (node.v4, node.name.as_str())).collect();
        file.names(&names)?;
        let description = format!("at {}, before the queue of {name}", plan.nodes[near].name);
        file.interface(&Interface { name: &name, description: &description, snap })?;
        let mac = |node: usize| MacAddress::local(node as u32 + 1);
        Ok(Self {
            file,
            outbound,
            near: mac(near),
            far: mac(far),
            start: None,
            packet: Vec::new(),
            frame: Vec::new(),
            error: None,
        })
    }

    /// Captures a packet that has left the stack at the beginning of a direction.
    pub(super) fn entered(&mut self, direction: DirectionId, packet: &PacketSlices<'_>, now: Time) {
        if direction == self.outbound {
            self.write(packet, PacketDirection::Outbound, now);
        }
    }

    /// Captures a packet that goes into the stack at the end of a direction.
    pub(super) fn delivered(
        &mut self,
        direction: DirectionId,
        packet: &PacketSlices<'_>,
        now: Time,
    ) {
        if direction == self.outbound.opposite() {
            self.write(packet, PacketDirection::Inbound, now);
        }
    }

    /// Waits until everything is written.
    pub(super) fn finish(self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.file.finish()?.finish(),
        }
    }

    fn write(&mut self, cut: &PacketSlices<'_>, direction: PacketDirection, now: Time) {
        let time = now + *self.start.get_or_insert_with(|| wall_clock().saturating_sub(run(now)));
        let (source, destination) = match direction {
            PacketDirection::Outbound => (self.near, self.far),
            PacketDirection::Inbound => (self.far, self.near),
        };
        let Self { file, packet, frame, error, .. } = self;
        cut.each_packet(packet, &mut |ip| {
            if error.is_none() {
                frame.clear();
                frame.reserve(ETHERNET_HEADER + ip.len());
                frame.extend([destination.0, source.0].as_flattened());
                frame.extend(ether_type(ip));
                frame.extend(ip);
                *error = file.packet(0, time, direction, frame).err();
            }
        });
    }
}

/// The Ethernet type of an IP packet (RFC 894 and RFC 2464).
fn ether_type(ip: &[u8]) -> [u8; 2] {
    if ip.first().is_some_and(|byte| byte >> 4 == 6) { [0x86, 0xdd] } else { [0x08, 0x00] }
}

/// The time since the run began.
fn run(now: Time) -> Span {
    now.since(Time::ZERO)
}

/// The time since 1970 began.
#[expect(clippy::disallowed_methods, reason = "a capture says when it was taken")]
fn wall_clock() -> Span {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Span::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}
