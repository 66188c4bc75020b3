//! Writes the packets that pass one end of a link, as a capture on its node would have them.
//!
//! A packet of the simulator is a few words; here it becomes a whole frame: addresses by node,
//! ports by connection, sequence numbers from a random-looking start, and the other header fields
//! as the transport set them. Packets that the node sends are captured before the queue, as by
//! `tcpdump` on a computer behind a slow modem; so the wait in the queue is part of the round trips
//! in the file.

use std::io::{self, Write};
use std::net::Ipv4Addr;

use indexmap::IndexSet;
use scenario::Scenario;
use units::{DirectionId, Span, Time, Way};
use wire::{
    Ethernet, Frame, Interface, Ipv4, MacAddress, PacketDirection, PcapngWriter, Transport,
};

use crate::PcapOptions;
use crate::hops::{End, Hops};
use crate::nodes::nodes;
use crate::packet::SimPacket;
use crate::payloads::{Payload, Payloads};

mod connection;
mod identity;

use connection::Connection;
use identity::{Identity, identities};

/// The capture's time at virtual time zero, the start of the year 2000 (UTC): for tcptrace a packet
/// at time zero has no time.
const START: Span = Span::from_secs(946_684_800);
/// The time to live of packets that Linux sends.
const FIRST_TTL: u8 = 64;
const ETHERNET_HEADER: usize = 14;
const IP_HEADER: u32 = 20;
/// Bytes of the header of UDP (RFC 768), and of an ICMP echo (RFC 792).
const SHORT_HEADER: u32 = 8;

/// A capture of the packets that pass one end of a link.
pub(crate) struct Capture {
    file: PcapngWriter<Box<dyn Write>>,
    frame: Frame,
    /// The direction whose packets the node sends, before its queue.
    outbound: DirectionId,
    near: MacAddress,
    far: MacAddress,
    flows: Vec<Identity>,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

impl Capture {
    /// Creates the capture, and writes the beginning of the file.
    pub(crate) fn new(options: PcapOptions, scenario: &Scenario) -> io::Result<Self> {
        let PcapOptions { writer, direction: outbound, snap } = options;
        let nodes = nodes(scenario);
        let link = &scenario.links[outbound.link()];
        let (near, far) = match outbound.way() {
            Way::Forward => (&link.from, &link.to),
            Way::Reverse => (&link.to, &link.from),
        };
        let name = scenario.direction_name(outbound);
        let application = concat!("unbloat ", env!("CARGO_PKG_VERSION"));
        let mut file = PcapngWriter::new(writer, application, &scenario.title)?;
        let names: Vec<_> =
            nodes.iter().enumerate().map(|(node, name)| (address(node), *name)).collect();
        file.names(&names)?;
        let description = format!("at {near}, before the queue of {name}");
        file.interface(&Interface { name: &name, description: &description, snap })?;
        let mac = |node: &String| MacAddress::local(index(&nodes, node) as u32 + 1);
        Ok(Self {
            file,
            frame: Frame::default(),
            outbound,
            near: mac(near),
            far: mac(far),
            flows: identities(scenario, |node| address(index(&nodes, node))),
            error: None,
        })
    }

    /// The identification of the next packet that this end of this flow sends.
    pub(crate) fn next_id(&mut self, flow: u32, from: End) -> u16 {
        let sent = &mut self.flows[flow as usize].sent[from as usize];
        *sent = sent.wrapping_add(1);
        *sent
    }

    /// A packet is offered to the queue of a direction.
    pub(crate) fn offered(
        &mut self,
        direction: DirectionId,
        packet: &SimPacket,
        (payloads, hops): (&Payloads, &Hops),
        now: Time,
    ) {
        if direction == self.outbound {
            let payload = payloads.at(packet.payload);
            self.write(packet, &payload, hops, PacketDirection::Outbound, now);
        }
    }

    /// A packet has arrived at the far end of a direction; its length is that of the IP packet.
    pub(crate) fn arrived(
        &mut self,
        direction: DirectionId,
        packet: &SimPacket,
        (payloads, hops): (&Payloads, &Hops),
        now: Time,
    ) {
        if direction == self.outbound.opposite() {
            let payload = payloads.at(packet.payload);
            self.write(packet, &payload, hops, PacketDirection::Inbound, now);
        }
    }

    /// Flushes the file. Fails with the first error of the whole capture.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.file.finish().map(drop),
        }
    }

    fn write(
        &mut self,
        packet: &SimPacket,
        payload: &Payload,
        hops: &Hops,
        direction: PacketDirection,
        now: Time,
    ) {
        if self.error.is_some() {
            return;
        }
        let (from, passed) = hops.travelled(packet.flow, packet.hop);
        let identity = &self.flows[packet.flow as usize];
        let ethernet = self.ethernet(direction);
        let (source, destination) = identity.addresses(from);
        let ip = Ipv4 {
            source,
            destination,
            ttl: FIRST_TTL.saturating_sub(passed).max(1),
            id: packet.id,
            traffic_class: packet.marking.traffic_class(),
        };
        let connection = Connection::of(packet.flow, packet.channel, identity.ports);
        let mut blocks = [(0, 0); 4];
        let (transport, header) = match payload {
            Payload::Tcp(segment) => {
                let header = identity.tcp(segment, connection, from, &mut blocks);
                (Transport::Tcp(header), segment.header_len())
            }
            Payload::Datagram { sent } => {
                (identity.datagram(connection, *sent, from), SHORT_HEADER)
            }
        };
        let payload = packet.len.saturating_sub(IP_HEADER + header) as u16;
        let frame = self.frame.build(&ethernet, &ip, &transport, payload);
        debug_assert_eq!(frame.len(), ETHERNET_HEADER + packet.len as usize);
        self.error = self.file.packet(0, now + START, direction, frame).err();
    }

    /// The Ethernet header, from one end of the link to the other, whatever the packet's own source
    /// and destination are.
    fn ethernet(&self, direction: PacketDirection) -> Ethernet {
        match direction {
            PacketDirection::Outbound => Ethernet { source: self.near, destination: self.far },
            PacketDirection::Inbound => Ethernet { source: self.far, destination: self.near },
        }
    }
}

fn index(nodes: &IndexSet<&str>, name: &str) -> usize {
    // A checked scenario has flows between nodes only.
    nodes.get_index_of(name).unwrap_or(nodes.len())
}

/// The address of a node: 10.0.0.1 and following (RFC 1918), which are more than there are nodes.
fn address(node: usize) -> Ipv4Addr {
    Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 1).to_bits() + node as u32)
}
