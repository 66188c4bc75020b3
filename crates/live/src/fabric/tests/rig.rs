//! A fabric whose ports are sockets, with the tests as its stacks, and a watch that notes
//! everything.

use std::collections::VecDeque;
use std::net::Ipv4Addr;

use link::{Capacity, Framing, Wire};
use qdisc::{AnyQdisc, Backlog, Cause, LinkInfo, QdiscSpec};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use units::{Bytes, DirectionId, PerWay, Rate, Rng, Span, Time, Way};
use wire::{Ethernet, Frame, Ipv4, MacAddress, PacketView, Transport};

use super::super::{Admission, DirectionSetup, Fabric, LinkView, Watch};
use crate::{Clock, Health, Offload, PacketSlices, Port, QueuedPacket, Reading};

/// The direction from the near port of the first link.
pub(in crate::fabric) const FORWARD: DirectionId = DirectionId::new(0, Way::Forward);

/// A port of a fabric, and the port of the stack at its other side.
pub(super) fn port() -> (Port, Port) {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let (ours, stack) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).unwrap();
    (Port::over(ours), Port::over(stack))
}

/// A wire of this many bits per second.
pub(in crate::fabric) fn wire(bits: u64, delay: Span) -> Wire {
    let capacity = Capacity::Constant(Rate::from_bits_per_sec(bits).unwrap());
    Wire { capacity, delay, ..Wire::default() }
}

pub(in crate::fabric) fn direction(queue: &str, wire: Wire) -> DirectionSetup {
    let queue: QdiscSpec = queue.parse().unwrap();
    let environment = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));
    DirectionSetup {
        queue: queue.build(environment, Rng::new(1)),
        wire,
        framing: Framing { overhead: Bytes(14), ..Framing::default() },
        most_packets: u16::MAX,
        passes_others: false,
        rng: Rng::new(2),
        changes: Vec::new(),
    }
}

/// A UDP datagram with this number, of this length from the IP header on.
pub(super) fn datagram(number: u16, len: u16, ecn: u8) -> Vec<u8> {
    let ethernet = Ethernet { source: MacAddress::local(1), destination: MacAddress::local(2) };
    let (source, destination) = (Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
    let ip = Ipv4 { source, destination, ttl: 64, id: number, traffic_class: ecn };
    let udp = Transport::Udp { source: 1000, destination: 2000 };
    Frame::default().build(&ethernet, &ip, &udp, len - 28)[14..].to_vec()
}

pub(super) fn number(ip: &[u8]) -> u16 {
    u16::from_be_bytes([ip[4], ip[5]])
}

/// The packets that a stack has to send, and those that it has received.
pub(in super::super) struct Stack {
    pub(super) port: Port,
    pub(super) to_send: VecDeque<(Vec<u8>, Offload)>,
    pub(super) received: Vec<Vec<u8>>,
}

impl Stack {
    pub(super) fn new(port: Port) -> Self {
        Self { port, to_send: VecDeque::new(), received: Vec::new() }
    }

    pub(super) fn send(&mut self, packets: impl IntoIterator<Item = Vec<u8>>) {
        self.to_send.extend(packets.into_iter().map(|packet| (packet, Offload::default())));
    }

    /// Sends the packets that the socket takes, and receives those that it has.
    pub(super) fn turn(&mut self) {
        while let Some((packet, offload)) = self.to_send.front() {
            let cut = PacketSlices::whole(packet, *offload);
            if !self.port.send(&cut).unwrap() {
                break;
            }
            self.to_send.pop_front();
        }
        let mut buffer = vec![0; 1 << 17];
        while let Reading::Packet(received) = self.port.receive(&mut buffer).unwrap() {
            self.received.push(buffer[received.ip_start..received.end].to_vec());
        }
    }
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Entered,
    Offered,
    Dropped,
    Marked,
    Departed,
    Lost,
    Delivered,
    /// An event of no packet.
    Tick,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    pub(super) fate: Fate,
    pub(super) direction: DirectionId,
    /// The number that the packet carries.
    pub(super) number: u16,
    pub(super) len: u32,
    pub(super) packets: u16,
    pub(super) at: Time,
}

/// Drives the stacks with its ticks. Ends the loop when `wanted` notes of `ends` have been written
/// and nothing is left to send.
pub(in super::super) struct Log {
    pub(super) stacks: Vec<Stack>,
    pub(super) notes: Vec<Note>,
    pub(super) discard: bool,
    /// The number of pieces that must meet one of `ends` before the loop ends.
    pub(super) wanted: usize,
    /// The fates that count for `wanted`.
    pub(super) ends: [Fate; 3],
    pub(super) tick_each: Span,
    pub(super) next_tick: Time,
    last: Time,
}

impl Log {
    pub(in super::super) fn new(stacks: Vec<Stack>, wanted: usize) -> Self {
        let (notes, next_tick, last) = (Vec::new(), Time::ZERO, Time::ZERO);
        let tick_each = Span::from_micros(500);
        let ends = [Fate::Dropped, Fate::Lost, Fate::Delivered];
        Self { stacks, notes, discard: false, wanted, ends, tick_each, next_tick, last }
    }

    pub(super) fn of(&self, fate: Fate, direction: DirectionId) -> Vec<Note> {
        let wanted = |note: &&Note| note.fate == fate && note.direction == direction;
        self.notes.iter().filter(wanted).copied().collect()
    }

    pub(super) fn numbers(&self, fate: Fate, direction: DirectionId) -> Vec<u16> {
        self.of(fate, direction).iter().map(|note| note.number).collect()
    }

    fn note(&mut self, fate: Fate, direction: DirectionId, packet: &QueuedPacket, at: Time) {
        assert!(at >= self.last, "{fate:?} at {at:?} after {:?}", self.last);
        self.last = at;
        let QueuedPacket { tag, len, packets, .. } = *packet;
        self.notes.push(Note { fate, direction, number: tag as u16, len, packets, at });
    }

    fn fates(&self) -> usize {
        self.notes.iter().filter(|note| self.ends.contains(&note.fate)).count()
    }
}

impl Watch for Log {
    type Queue = AnyQdisc<QueuedPacket>;

    fn entered(
        &mut self,
        direction: DirectionId,
        view: &PacketView,
        packet: &PacketSlices<'_>,
        now: Time,
    ) -> Admission {
        assert_eq!(view.ip_len, packet.headers.len() as u64);
        let (number, len) = (number(packet.headers), view.ip_len as u32);
        let fate = Fate::Entered;
        self.notes.push(Note { fate, direction, number, len, packets: 0, at: now });
        if self.discard {
            Admission::Discard
        } else {
            Admission::Queue { tag: number.into(), known: None }
        }
    }

    fn offered(&mut self, direction: DirectionId, packet: &QueuedPacket, now: Time) {
        self.note(Fate::Offered, direction, packet, now);
    }

    fn dropped(&mut self, direction: DirectionId, packet: &QueuedPacket, _: Cause, now: Time) {
        self.note(Fate::Dropped, direction, packet, now);
    }

    fn marked(&mut self, direction: DirectionId, packet: &QueuedPacket, _: Cause, now: Time) {
        self.note(Fate::Marked, direction, packet, now);
    }

    fn departed(
        &mut self,
        direction: DirectionId,
        packet: &QueuedPacket,
        sojourn: Span,
        now: Time,
    ) {
        assert_eq!(packet.offered + sojourn, now);
        self.note(Fate::Departed, direction, packet, now);
    }

    fn lost(&mut self, direction: DirectionId, packet: &QueuedPacket, now: Time) {
        self.note(Fate::Lost, direction, packet, now);
    }

    fn delivered(
        &mut self,
        direction: DirectionId,
        packet: &QueuedPacket,
        _: &PacketSlices<'_>,
        due: Time,
    ) {
        self.note(Fate::Delivered, direction, packet, due);
    }

    fn waits(&mut self, _: DirectionId, _: Backlog, now: Time) {
        assert!(now >= self.last);
    }

    fn due(&self) -> Time {
        self.next_tick
    }

    fn tick(
        &mut self,
        now: Time,
        links: &mut dyn Iterator<Item = LinkView<'_>>,
        _: &mut Health,
    ) -> bool {
        assert!(now == self.next_tick && now >= self.last);
        self.last = now;
        let tick =
            Note { fate: Fate::Tick, direction: FORWARD, number: 0, len: 0, packets: 0, at: now };
        self.notes.push(tick);
        assert!(now < Time::from_secs(60), "{} of {} fates", self.fates(), self.wanted);
        self.next_tick = now + self.tick_each;
        self.stacks.iter_mut().for_each(Stack::turn);
        let mut works = self.stacks.iter().any(|stack| !stack.to_send.is_empty());
        for link in links {
            works |= link.backlog().packets > 0;
        }
        works || self.fates() < self.wanted
    }
}

/// Runs a fabric until its watch has seen enough. Then the arena must be empty.
pub(super) fn run(fabric: &mut Fabric, log: &mut Log) -> Health {
    let health = fabric.run(Clock::start(), log).unwrap();
    log.stacks.iter_mut().for_each(Stack::turn);
    assert_eq!(fabric.arena.held(), Bytes::ZERO);
    assert_eq!(log.fates(), log.wanted);
    health
}

/// A link between two stacks.
pub(super) fn one_way(setup: DirectionSetup) -> (Fabric, Vec<Stack>) {
    let mut fabric = Fabric::new(Bytes(1 << 24)).unwrap();
    let ((near, near_stack), (far, far_stack)) = (port(), port());
    let back = direction("pfifo limit 1000", Wire::default());
    let ports = PerWay { forward: near, reverse: far };
    fabric.add_link(ports, PerWay { forward: setup, reverse: back }).unwrap();
    (fabric, [near_stack, far_stack].map(Stack::new).into())
}

/// The results of such a link, over which the near stack sends these packets.
pub(super) fn run_one_way(setup: DirectionSetup, packets: Vec<Vec<u8>>) -> (Log, Health) {
    let (mut fabric, stacks) = one_way(setup);
    let mut log = Log::new(stacks, packets.len());
    log.stacks[0].send(packets);
    let health = run(&mut fabric, &mut log);
    (log, health)
}
