//! The loop that moves packets between ports through links, by the real clock.

mod direction;
mod sleep;
#[cfg(test)]
mod tests;
mod turn;

use std::io;
use std::os::fd::OwnedFd;

use link::{Framing, Link, Wire};
use qdisc::{AnyQdisc, Backlog, Cause, Qdisc};
use rustix::event::epoll;
use units::{Bytes, DirectionId, PerWay, Rate, Rng, Span, Time};
use wire::PacketView;

use crate::{Arena, Clock, Health, KnownFlow, PacketSlices, Port, QueuedPacket, Reading};
use direction::Direction;
use turn::Loop;
pub use turn::processor_time;

/// Any of the listed disciplines, in which the packets of a fabric wait unless a type is named.
type Listed = AnyQdisc<QueuedPacket>;

/// The settings of one direction of a link.
#[derive(Debug)]
pub struct DirectionSetup<Q = Listed> {
    /// The queue.
    pub queue: Q,
    /// The wire behind the queue.
    pub wire: Wire,
    /// The bytes that the wire adds to each IP packet.
    pub framing: Framing,
    /// The most packets of a super-packet that go through the queue in one piece; 1 for results
    /// that are exact to the packet.
    pub most_packets: u16,
    /// True if packets that the queue cannot hold go on at once and untouched; false if they are
    /// dropped. Both ports of the direction must then have the same link layer.
    pub passes_others: bool,
    /// The random numbers for losses.
    pub rng: Rng,
    /// The changes while packets move, in order of time.
    pub changes: Vec<Change<Q>>,
}

/// A change of one direction of a link, now.
#[derive(Debug)]
pub struct Adjustment<Q = Listed> {
    /// The direction.
    pub direction: DirectionId,
    /// The change; its time does not count.
    pub change: Change<Q>,
}

/// The fate of a packet that has left the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The queue.
    Queue {
        /// The tag that all its pieces carry.
        tag: u32,
        /// The facts that are known of its flow; `None` if only its bytes tell.
        known: Option<KnownFlow>,
    },
    /// The way past the queue at once, if the direction [passes](DirectionSetup::passes_others) packets.
    Pass,
    /// The end: the packet is dropped.
    Discard,
}

/// New settings of one direction of a link from a time on.
#[derive(Clone, Debug)]
pub struct Change<Q = Listed> {
    /// The time of the change.
    pub at: Time,
    /// An empty queue with the new settings; `None` if the queue keeps its settings.
    pub queue: Option<Q>,
    /// The new rate; `None` if it stays as it is.
    pub rate: Option<Rate>,
    /// The new rate of the queue's own shaper; `None` if it stays as it is.
    pub shaping: Option<Rate>,
    /// The most packets in one piece from then on.
    pub most_packets: u16,
}

/// A view of one direction of a link while the loop runs.
#[derive(Clone, Copy, Debug)]
pub struct LinkView<'a, Q = Listed> {
    link: &'a Link<QueuedPacket, Q>,
}

impl<Q: Qdisc<QueuedPacket>> LinkView<'_, Q> {
    /// The packets and bytes that wait now.
    pub fn backlog(&self) -> Backlog {
        self.link.backlog()
    }

    /// The queue.
    pub fn queue(&self) -> &Q {
        self.link.queue()
    }

    /// The time that a packet of a new flow would wait ([`Link::new_flow_wait`]).
    pub fn new_flow_wait(&self, now: Time) -> Span {
        self.link.new_flow_wait(now)
    }

    /// True if a packet is waiting, or being sent.
    pub fn is_busy(&self, now: Time) -> bool {
        self.link.is_busy(now)
    }
}

/// An observer of the loop, which decides when the loop ends. The index of a link in a
/// [`DirectionId`] is its place in the order in which links were added. Calls must be short.
///
/// Times never run backwards, except that `delivered` is called a little after `due`. A late loop
/// catches up on missed events, including ticks, in order of time.
pub trait Watch {
    /// The queues of the links.
    type Queue: Qdisc<QueuedPacket>;

    /// A packet, or a super-packet, has left the stack at the beginning of `direction`. Decides what
    /// becomes of the packet.
    fn entered(
        &mut self,
        direction: DirectionId,
        view: &PacketView,
        packet: &PacketSlices<'_>,
        now: Time,
    ) -> Admission;
    /// A packet comes to the queue. The queue's decision about it follows.
    fn offered(&mut self, direction: DirectionId, packet: &QueuedPacket, now: Time);
    /// The queue has dropped the packet.
    fn dropped(&mut self, direction: DirectionId, packet: &QueuedPacket, cause: Cause, now: Time);
    /// The queue has marked the packet.
    fn marked(&mut self, direction: DirectionId, packet: &QueuedPacket, cause: Cause, now: Time);
    /// The packet goes onto the wire. `now` is the time when it was due, which may lie in the past.
    fn departed(&mut self, direction: DirectionId, packet: &QueuedPacket, sojourn: Span, now: Time);
    /// The wire has lost the packet; called right after `departed`.
    fn lost(&mut self, direction: DirectionId, packet: &QueuedPacket, now: Time);
    /// The packet has gone into the stack at the far end, where it was due at `due`. Not called for
    /// packets that the stack refuses.
    fn delivered(
        &mut self,
        direction: DirectionId,
        packet: &QueuedPacket,
        slices: &PacketSlices<'_>,
        due: Time,
    );
    /// The backlog of this direction from now on.
    fn waits(&mut self, direction: DirectionId, backlog: Backlog, now: Time);
    /// The time of the next [`tick`](Self::tick); never that of the last tick again.
    fn due(&self) -> Time;
    /// Called at the time `now` that [`due`](Self::due) returned, after everything that was due
    /// before, with a view of each direction and the loop's record of itself, which the watch may
    /// take. False to end the loop.
    fn tick(
        &mut self,
        now: Time,
        links: &mut dyn Iterator<Item = LinkView<'_, Self::Queue>>,
        health: &mut Health,
    ) -> bool;
    /// The stack at the far end has refused the packet: its device has no room, or is gone.
    fn refused(&mut self, _direction: DirectionId, _packet: &QueuedPacket) {}
    /// `len` bytes of a packet that no queue can hold have gone on at once.
    fn passed(&mut self, _direction: DirectionId, _len: usize) {}
    /// A change that is carried out after a [`tick`](Self::tick); `None` if there is none, or none
    /// any more.
    fn adjustment(&mut self) -> Option<Adjustment<Self::Queue>> {
        None
    }
}

/// A port of a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortId(usize);

/// Ports, links between them, and the loop.
#[derive(Debug)]
pub struct Fabric<Q = Listed> {
    epoll: OwnedFd,
    ports: Vec<Port>,
    directions: Vec<Direction<Q>>,
    arena: Arena,
}

impl<Q: Qdisc<QueuedPacket>> Fabric<Q> {
    /// A fabric without links. Its packets take at most `most` of memory.
    ///
    /// # Errors
    /// If the kernel refuses an epoll instance.
    pub fn new(most: Bytes) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { epoll, ports: Vec::new(), directions: Vec::new(), arena: Arena::new(most) })
    }

    /// Joins two ports by a link. Each direction begins at its port of `ports`.
    ///
    /// # Errors
    /// If the kernel refuses to watch the ports.
    pub fn add_link(
        &mut self,
        ports: PerWay<Port>,
        setups: PerWay<DirectionSetup<Q>>,
    ) -> io::Result<()> {
        let PerWay { forward, reverse } = ports.map(|port| self.add_port(port));
        self.add_direction(forward, reverse, setups.forward)?;
        self.add_direction(reverse, forward, setups.reverse)
    }

    /// Adds a port, at which directions can begin and end.
    pub fn add_port(&mut self, port: Port) -> PortId {
        self.ports.push(port);
        PortId(self.ports.len() - 1)
    }

    /// Adds the next direction, which moves packets from one port to another, or back to the same.
    /// Directions are numbered as [`DirectionId::from_index`] does it. A port can be the source of one
    /// direction only.
    ///
    /// # Errors
    /// If the kernel refuses to watch the source.
    pub fn add_direction(
        &mut self,
        source: PortId,
        sink: PortId,
        setup: DirectionSetup<Q>,
    ) -> io::Result<()> {
        let index = epoll::EventData::new_u64(self.directions.len() as u64);
        epoll::add(&self.epoll, &self.ports[source.0], index, epoll::EventFlags::IN)?;
        self.directions.push(Direction::new(source, sink, setup));
        Ok(())
    }

    /// A port.
    pub fn port(&mut self, PortId(index): PortId) -> &mut Port {
        &mut self.ports[index]
    }

    /// The ports.
    pub fn ports(&self) -> impl Iterator<Item = &Port> {
        self.ports.iter()
    }

    /// A buffer in which each packet has room.
    pub fn buffer(&self) -> Box<[u8]> {
        self.arena.buffer()
    }

    /// Passes all packets on that can be read now, at once and untouched, in a process that takes over
    /// from one that moves them no more. Allocates no memory beside the [buffer](Self::buffer).
    pub fn pass_all(&self, buffer: &mut [u8]) {
        for Direction { source: PortId(source), sink: PortId(sink), .. } in &self.directions {
            loop {
                let end = match self.ports[*source].receive(buffer) {
                    Ok(Reading::Packet(received)) => received.end,
                    Ok(Reading::Malformed { len } | Reading::Other { len }) => len,
                    Ok(Reading::Lost) => continue,
                    Ok(Reading::Empty) | Err(_) => break,
                };
                // Nobody is left who could be told of an error.
                let _ = self.ports[*sink].pass(&buffer[..end]);
            }
        }
    }

    /// True if every direction has a rate limit. Only then is the loop sure to pause, and may be given
    /// real-time priority.
    pub fn has_limit_everywhere(&self) -> bool {
        self.directions.iter().all(Direction::has_limit)
    }

    /// Moves packets on the calling thread from now until `watch` ends it. The thread's timers
    /// become as exact as the kernel allows.
    ///
    /// # Errors
    /// If a port is gone, or if the kernel, or a filter of system calls, lacks the sleep of Linux
    /// 5.11.
    pub fn run<W: Watch<Queue = Q>>(&mut self, clock: Clock, watch: &mut W) -> io::Result<Health> {
        Loop::new(self, clock, watch)?.run()
    }

    /// The time and the direction of the next event in a link; `None` if there is none.
    #[inline]
    fn next_event(&self) -> Option<(Time, DirectionId)> {
        let due = |(index, direction): (usize, &Direction<Q>)| {
            Some((direction.due()?, DirectionId::from_index(index)))
        };
        self.directions.iter().enumerate().filter_map(due).min()
    }

    /// The bytes that the wire of a direction could carry in `from..to`; `None` if it has no limit.
    pub fn capacity(&self, direction: DirectionId, from: Time, to: Time) -> Option<Bytes> {
        self.directions[direction.index()].link.capacity(from, to)
    }

    /// The queue of a direction.
    pub fn queue(&self, direction: DirectionId) -> &Q {
        self.directions[direction.index()].link.queue()
    }

    fn views(&self) -> impl Iterator<Item = LinkView<'_, Q>> {
        self.directions.iter().map(|direction| LinkView { link: &direction.link })
    }
}
