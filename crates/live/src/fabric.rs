//! The loop that moves packets between ports through links, by the real clock.

mod direction;
mod sleep;
#[cfg(test)]
mod tests;
mod turn;

use std::io;
use std::os::fd::OwnedFd;

use link::{Link, Wire};
use qdisc::{AnyQdisc, Backlog, Cause};
use rustix::event::epoll;
use units::{Bytes, Rng, Span, Time};
use wire::PacketView;

use crate::{Arena, Clock, Cut, Health, Parcel, Port};
use direction::Direction;
use turn::Loop;

/// One direction of a link, to be set up.
#[derive(Debug)]
pub struct DirectionSetup {
    /// The queue.
    pub queue: AnyQdisc<Parcel>,
    /// What lies behind it.
    pub wire: Wire,
    /// Bytes that the wire adds to each IP packet.
    pub overhead: Bytes,
    /// The most packets of a super-packet that go through the queue in one piece; 1 for work that
    /// is exact to the packet.
    pub most_packets: u16,
    /// For losses.
    pub rng: Rng,
}

/// One direction of a link at work, to look at.
#[derive(Clone, Copy, Debug)]
pub struct LinkView<'a> {
    link: &'a Link<Parcel, AnyQdisc<Parcel>>,
}

impl LinkView<'_> {
    /// What waits.
    pub fn backlog(&self) -> Backlog {
        self.link.backlog()
    }

    /// How long a packet of a new flow would wait ([`Link::new_flow_wait`]).
    pub fn new_flow_wait(&self, now: Time) -> Span {
        self.link.new_flow_wait(now)
    }

    /// Is something waiting, or being sent?
    pub fn is_busy(&self, now: Time) -> bool {
        self.link.is_busy(now)
    }

    /// What the wire can carry in `from..to`; nothing if it has no limit.
    pub fn capacity(&self, from: Time, to: Time) -> Option<Bytes> {
        self.link.capacity(from, to)
    }
}

/// Who watches the loop, and says when it ends. Directions are numbered as links were added: `2 n`
/// goes from the near port of link `n` to its far one, `2 n + 1` back. Calls must be short.
///
/// Times never run backwards, except that `delivered` is called a little after `due`. A loop that
/// was late catches up on what it missed, ticks among it, in order of time.
pub trait Watch {
    /// A packet, or a super-packet, has come out of the stack at the beginning of `direction`.
    /// Answers with a tag that its parcels carry; `None` to discard it.
    fn entered(
        &mut self,
        direction: usize,
        view: &PacketView,
        packet: &Cut<'_>,
        now: Time,
    ) -> Option<u32>;
    /// The parcel comes to the queue. What the queue does with it follows.
    fn offered(&mut self, direction: usize, parcel: &Parcel, now: Time);
    /// The queue has dropped it.
    fn dropped(&mut self, direction: usize, parcel: &Parcel, cause: Cause, now: Time);
    /// The queue has marked it.
    fn marked(&mut self, direction: usize, parcel: &Parcel, cause: Cause, now: Time);
    /// It goes onto the wire. `now` may lie in the past: when it was due.
    fn departed(&mut self, direction: usize, parcel: &Parcel, sojourn: Span, now: Time);
    /// The wire has lost it; called right after `departed`.
    fn lost(&mut self, direction: usize, parcel: &Parcel, now: Time);
    /// It has gone into the stack at the far end, for which it was due at `due`. One that the stack
    /// refuses is not delivered.
    fn delivered(&mut self, direction: usize, parcel: &Parcel, packet: &Cut<'_>, due: Time);
    /// So much waits in this direction from now on.
    fn waits(&mut self, direction: usize, backlog: Backlog, now: Time);
    /// When [`tick`](Self::tick) is to be called next; never the time of the last tick again.
    fn due(&self) -> Time;
    /// The time has come: `now` is what [`due`](Self::due) said. All that was due before has been
    /// done. Answers `false` to end the loop.
    fn tick(&mut self, now: Time, links: &mut dyn Iterator<Item = LinkView<'_>>) -> bool;
}

/// Ports, links between them, and the loop.
#[derive(Debug)]
pub struct Fabric {
    epoll: OwnedFd,
    /// Direction `n` begins at port `n` and ends at port `n ^ 1`.
    ports: Vec<Port>,
    directions: Vec<Direction>,
    arena: Arena,
}

impl Fabric {
    /// Nothing yet. Packets in it take at most so much memory.
    ///
    /// # Errors
    /// If the machine has no epoll for us.
    pub fn new(most: Bytes) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { epoll, ports: Vec::new(), directions: Vec::new(), arena: Arena::new(most) })
    }

    /// Joins two ports by a link.
    ///
    /// # Errors
    /// If the machine has no epoll for us.
    pub fn add_link(
        &mut self,
        (near, far): (Port, Port),
        (forward, reverse): (DirectionSetup, DirectionSetup),
    ) -> io::Result<()> {
        for (port, setup) in [(near, forward), (far, reverse)] {
            let index = epoll::EventData::new_u64(self.ports.len() as u64);
            epoll::add(&self.epoll, &port, index, epoll::EventFlags::IN)?;
            self.ports.push(port);
            self.directions.push(Direction::new(setup));
        }
        Ok(())
    }

    /// Has every wire a limit? Only then can the loop not compute without end, and may be given
    /// real-time priority.
    pub fn has_limit_everywhere(&self) -> bool {
        self.directions.iter().all(Direction::has_limit)
    }

    /// Moves packets from now until `watch` ends it, on the calling thread, whose timers become as
    /// exact as the kernel makes them.
    ///
    /// # Errors
    /// If a port is gone, or the kernel is older than Linux 5.11 or made to look so.
    pub fn run<W: Watch>(&mut self, clock: Clock, watch: &mut W) -> io::Result<Health> {
        Loop::new(self, clock, watch)?.run()
    }

    /// When something happens next in a link, and in which direction.
    #[inline]
    fn next_event(&self) -> Option<(Time, usize)> {
        let due = |(index, direction): (usize, &Direction)| Some((direction.due()?, index));
        self.directions.iter().enumerate().filter_map(due).min()
    }

    fn views(&self) -> impl Iterator<Item = LinkView<'_>> {
        self.directions.iter().map(|direction| LinkView { link: &direction.link })
    }
}
