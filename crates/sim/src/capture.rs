//! Writes the packets that pass one end of a link, as a capture on its node would have them.
//!
//! A packet of the simulator is a few words. In the capture it becomes a whole frame: addresses by
//! host, ports by connection, sequence numbers from a random-looking start, and the other header
//! fields as the transport set them. Packets that the node sends are captured before the queue, as
//! by `tcpdump` on a computer behind a slow modem: the wait in the queue is part of the round trips
//! in the file.

use std::io::{self, Write};
use std::net::Ipv4Addr;

use scenario::Scenario;
use units::{DirectionId, Span, Time};
use wire::{Frame, Ipv4, PacketDirection, Transport};

use crate::PcapOptions;
use crate::hops::{End, Hops};
use crate::packet::SimPacket;
use crate::payloads::Content;
use crate::store::Store;

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

/// A capture of simulated packets.
pub(crate) struct Capture {
    file: meter::Capture<Box<dyn Write + Send>>,
    frame: Frame,
    flows: Vec<Identity>,
}

impl Capture {
    /// Creates the capture, and writes the beginning of the file.
    pub(crate) fn new(options: PcapOptions, scenario: &Scenario) -> io::Result<Self> {
        let hosts = scenario.hosts();
        let names: Vec<_> = hosts.iter().map(|host| host.to_string()).collect();
        let named: Vec<_> =
            (0..).zip(&names).map(|(host, name)| (address(host), name.as_str())).collect();
        Ok(Self {
            file: meter::Capture::new(options, scenario, &named)?,
            frame: Frame::default(),
            flows: identities(scenario),
        })
    }

    /// The identification of the next packet that this end of this flow sends.
    pub(crate) fn next_id(&mut self, flow: u32, from: End, now: Time) -> u16 {
        self.flows[flow as usize].next_id(from, now)
    }

    /// Captures a packet that is offered to the queue of a direction.
    #[cold]
    pub(crate) fn offered(
        &mut self,
        direction: DirectionId,
        packet: &SimPacket,
        store: &Store,
        hops: &Hops,
        now: Time,
    ) {
        if let Some(way) = self.file.of_offered(direction) {
            self.write(packet, store, hops, way, now);
        }
    }

    /// Captures a packet that has reached the far end of a direction. Its length is that of the IP
    /// packet.
    #[cold]
    pub(crate) fn delivered(
        &mut self,
        direction: DirectionId,
        packet: &SimPacket,
        store: &Store,
        hops: &Hops,
        now: Time,
    ) {
        if let Some(way) = self.file.of_delivered(direction) {
            self.write(packet, store, hops, way, now);
        }
    }

    /// Flushes the file.
    ///
    /// # Errors
    /// The first error of the whole capture.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.file.finish().map(drop)
    }

    fn write(
        &mut self,
        packet: &SimPacket,
        store: &Store,
        hops: &Hops,
        direction: PacketDirection,
        now: Time,
    ) {
        let (from, passed) = hops.travelled(packet.flow, packet.hop);
        let identity = &self.flows[packet.flow as usize];
        let ethernet = self.file.ethernet(direction);
        let hosts = store.hosts(packet.hop);
        let ip = Ipv4 {
            source: address(hosts.source),
            destination: address(hosts.destination),
            ttl: FIRST_TTL.saturating_sub(passed).max(1),
            id: packet.id,
            traffic_class: packet.marking.traffic_class(),
        };
        let connection = Connection::of(packet.flow, packet.channel, identity.ports);
        let mut blocks = [(0, 0); 4];
        let content = store.payloads.at(packet.payload);
        let (transport, header) = match &content {
            Content::Tcp(segment) => {
                let header = identity.tcp(segment, connection, from, &mut blocks);
                (Transport::Tcp(header), segment.header_len())
            }
            Content::Datagram { sent } => {
                (identity.datagram(connection, *sent, from), SHORT_HEADER)
            }
        };
        let payload = u32::from(packet.ip_len).saturating_sub(IP_HEADER + header) as u16;
        let frame = self.frame.build(&ethernet, &ip, &transport, payload);
        debug_assert_eq!(frame.len(), ETHERNET_HEADER + usize::from(packet.ip_len));
        self.file.frame(now + START, direction, frame);
    }
}

/// The address of a host: 10.0.0.1 and following (RFC 1918), which are more than there are hosts.
fn address(host: u64) -> Ipv4Addr {
    Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 1).to_bits() + host as u32)
}
