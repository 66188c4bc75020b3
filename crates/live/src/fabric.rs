//! The loop that moves packets between ports through links, by the real clock.

mod direction;
mod sleep;
#[cfg(test)]
mod tests;
mod turn;

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;

use link::{Framing, Link, Wire};
use qdisc::{AnyQdisc, Backlog, Cause};
use rustix::event::epoll;
use units::{Bytes, DirectionId, PerWay, Rate, Rng, Span, Time};
use wire::PacketView;

use crate::{Arena, Clock, Health, KnownFlow, PacketSlices, Port, QueuedPacket};
use direction::Direction;
use turn::Loop;

/// The settings of one direction of a link.
#[derive(Debug)]
pub struct DirectionSetup {
    /// The queue.
    pub queue: AnyQdisc<QueuedPacket>,
    /// The wire behind the queue.
    pub wire: Wire,
    /// The bytes that the wire adds to each IP packet.
    pub framing: Framing,
    /// The most packets of a super-packet that go through the queue in one piece; 1 for results
    /// that are exact to the packet.
    pub most_packets: u16,
    /// What is known of flows, by the tag that [`Watch::entered`] returns for their packets.
    pub known: HashMap<u32, KnownFlow>,
    /// The random numbers for losses.
    pub rng: Rng,
    /// The changes while packets move, in order of time.
    pub changes: Vec<Change>,
}

/// New settings of one direction of a link from a time on.
#[derive(Clone, Debug)]
pub struct Change {
    /// The time of the change.
    pub at: Time,
    /// An empty queue with the new settings; `None` if the queue keeps its settings.
    pub queue: Option<AnyQdisc<QueuedPacket>>,
    /// The new rate; `None` if it stays as it is.
    pub rate: Option<Rate>,
    /// The most packets in one piece from then on.
    pub most_packets: u16,
}

/// A view of one direction of a link while the loop runs.
#[derive(Clone, Copy, Debug)]
pub struct LinkView<'a> {
    link: &'a Link<QueuedPacket, AnyQdisc<QueuedPacket>>,
}

impl LinkView<'_> {
    /// The packets and bytes that wait now.
    pub fn backlog(&self) -> Backlog {
        self.link.backlog()
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
    /// A packet, or a super-packet, has left the stack at the beginning of `direction`. Returns a
    /// tag that all its pieces carry; `None` to discard the packet.
    fn entered(
        &mut self,
        direction: DirectionId,
        view: &PacketView,
        packet: &PacketSlices<'_>,
        now: Time,
    ) -> Option<u32>;
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
    /// before. False to end the loop.
    fn tick(&mut self, now: Time, links: &mut dyn Iterator<Item = LinkView<'_>>) -> bool;
}

/// Ports, links between them, and the loop.
#[derive(Debug)]
pub struct Fabric {
    epoll: OwnedFd,
    /// The port at which each direction begins. It is also the one at which the opposite direction
    /// ends.
    ports: Vec<Port>,
    directions: Vec<Direction>,
    arena: Arena,
}

impl Fabric {
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
        setups: PerWay<DirectionSetup>,
    ) -> io::Result<()> {
        for (port, setup) in ports.into_iter().zip(setups) {
            let index = epoll::EventData::new_u64(self.ports.len() as u64);
            epoll::add(&self.epoll, &port, index, epoll::EventFlags::IN)?;
            self.ports.push(port);
            self.directions.push(Direction::new(setup));
        }
        Ok(())
    }

    /// True if every wire has a rate limit. Only then is the loop sure to pause, and may be given
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
    pub fn run<W: Watch>(&mut self, clock: Clock, watch: &mut W) -> io::Result<Health> {
        Loop::new(self, clock, watch)?.run()
    }

    /// The time and the direction of the next event in a link; `None` if there is none.
    #[inline]
    fn next_event(&self) -> Option<(Time, DirectionId)> {
        let due = |(index, direction): (usize, &Direction)| {
            Some((direction.due()?, DirectionId::from_index(index)))
        };
        self.directions.iter().enumerate().filter_map(due).min()
    }

    /// The bytes that the wire of a direction could carry in `from..to`; `None` if it has no limit.
    pub fn capacity(&self, direction: DirectionId, from: Time, to: Time) -> Option<Bytes> {
        self.directions[direction.index()].link.capacity(from, to)
    }

    /// The queue of a direction.
    pub fn queue(&self, direction: DirectionId) -> &AnyQdisc<QueuedPacket> {
        self.directions[direction.index()].link.queue()
    }

    fn views(&self) -> impl Iterator<Item = LinkView<'_>> {
        self.directions.iter().map(|direction| LinkView { link: &direction.link })
    }
}
