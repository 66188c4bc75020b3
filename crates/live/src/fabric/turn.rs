//! The turns of the loop: sleep, catch up, read, offer.

use std::io;
use std::num::NonZeroU64;
use std::ops::RangeBounds;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, Event, EventFlags};
use rustix::io::Errno;
use rustix::time::{ClockId, Timespec, clock_gettime};
use units::{DirectionId, Span, Time};
use wire::{LinkType, PacketView, dissect};

use super::direction::{Direction, Observer};
use super::sleep::Sleep;
use super::{Adjustment, Admission, Fabric, PortId, Watch};
use crate::arena::Full;
use crate::offload;
use crate::{
    Clock, Health, KeptPacket, Offload, PacketSlices, Port, QueuedPacket, Reading, Received,
    SuperPacket,
};

/// The most packets of one port that are read before the next port has its turn.
const BATCH: usize = 16;

/// The state of a running fabric.
pub(super) struct Loop<'a, W: Watch> {
    fabric: &'a mut Fabric<W::Queue>,
    clock: Clock,
    watch: &'a mut W,
    health: Health,
    /// A buffer in which headers are built.
    scratch: Vec<u8>,
    sleep: Sleep,
    has_ended: bool,
}

impl<'a, W: Watch> Loop<'a, W> {
    pub(super) fn new(
        fabric: &'a mut Fabric<W::Queue>,
        clock: Clock,
        watch: &'a mut W,
    ) -> io::Result<Self> {
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
        let (health, scratch) = (Health::default(), Vec::new());
        Ok(Self { fabric, clock, watch, health, scratch, sleep: Sleep::new(), has_ended: false })
    }

    pub(super) fn run(mut self) -> io::Result<Health> {
        let (begin, cpu) = (self.clock.now(), processor_time());
        let dropped_before = self.device_drops()?;
        self.fabric.directions.iter_mut().for_each(|direction| direction.begin(begin));
        let mut events = Vec::with_capacity(self.fabric.ports.len().max(1));
        loop {
            self.catch_up(..=self.clock.now())?;
            if self.has_ended {
                break;
            }
            self.wait(&mut events)?;
            for event in &events {
                self.read(event)?;
            }
        }
        let lost_credit = self.fabric.directions.iter().map(|direction| direction.lost_credit);
        self.health.lost_credit = lost_credit.max().unwrap_or_default();
        self.health.device_drops += self.device_drops()?.saturating_sub(dropped_before);
        self.health.cpu = processor_time().saturating_sub(cpu);
        self.health.elapsed = self.clock.now().since(begin);
        Ok(self.health)
    }

    /// Sleeps until something can be read or is due.
    fn wait(&mut self, events: &mut Vec<Event>) -> io::Result<()> {
        events.clear();
        let earliest = self.fabric.directions.iter().filter_map(Direction::wakes);
        let due = earliest.fold(self.watch.due(), Time::min);
        let begin = self.clock.now();
        let timeout = (due < Time::MAX).then(|| timespec(due.since(begin)));
        let until = match epoll::wait(&self.fabric.epoll, spare_capacity(events), timeout.as_ref())
        {
            Ok(_) => self.sleep.until(begin, self.clock.now()),
            // The kernel looked at the ports before the signal came. The time of that is not known.
            Err(Errno::INTR) => None,
            Err(error) => return Err(no_sleep(error)),
        };
        self.note_empty_ports(events, begin, until);
        Ok(())
    }

    /// Notes the ports that were empty. The kernel was called at `begin`, and reports that the
    /// ports in `events` can be read. If it slept until `until`, no port could be read before that.
    pub(super) fn note_empty_ports(&mut self, events: &[Event], begin: Time, until: Option<Time>) {
        for (index, direction) in self.fabric.directions.iter_mut().enumerate() {
            if let Some(until) = until {
                direction.port_empty(until);
            } else if events.iter().all(|event| event.data.u64() != index as u64) {
                direction.port_empty(begin);
            }
        }
    }

    /// Does everything that was due in this range, in order of time, as if each had been done when
    /// it was due.
    pub(super) fn catch_up(&mut self, due_in: impl RangeBounds<Time>) -> io::Result<()> {
        while !self.has_ended {
            let tick = self.watch.due();
            match self.fabric.next_event() {
                Some((due, direction)) if due_in.contains(&due) && due <= tick => {
                    self.advance(direction, due)?;
                }
                _ if due_in.contains(&tick) => {
                    self.has_ended =
                        !self.watch.tick(tick, &mut self.fabric.views(), &mut self.health);
                    self.adjust(tick)?;
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Carries out the changes that the watch asks for.
    fn adjust(&mut self, now: Time) -> io::Result<()> {
        while let Some(Adjustment { direction: id, change }) = self.watch.adjustment() {
            let Fabric { directions, arena, .. } = &mut *self.fabric;
            let out = &mut Observer { direction: id, watch: self.watch, arena };
            directions[id.index()].change(change, now, out).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Executes the events of a direction that are due now. At the same instant a change comes
    /// before a delivery, and a delivery before a departure.
    fn advance(&mut self, id: DirectionId, now: Time) -> io::Result<()> {
        let Fabric { directions, arena, .. } = &mut *self.fabric;
        let direction = &mut directions[id.index()];
        let out = &mut Observer { direction: id, watch: self.watch, arena };
        if let Some(change) = direction.take_change(now) {
            direction.change(change, now, out).map_err(io::Error::other)?;
        } else if let Some(packet) = direction.link.take_delivery(now) {
            return self.deliver(id, &packet, now);
        } else {
            direction.link.serve(now, out);
        }
        self.watch.waits(id, direction.link.backlog(), now);
        Ok(())
    }

    /// Gives a packet to the stack at the far end of its direction.
    fn deliver(
        &mut self,
        direction: DirectionId,
        packet: &QueuedPacket,
        due: Time,
    ) -> io::Result<()> {
        let Fabric { ports, arena, directions, .. } = &mut *self.fabric;
        let PortId(sink) = directions[direction.index()].sink;
        let cut = packet.slices(arena, &mut self.scratch);
        self.health.lateness.record(self.clock.now().since(due).as_nanos());
        if ports[sink].send(&cut)? {
            self.watch.delivered(direction, packet, &cut, due);
        } else {
            self.health.device_drops += u64::from(packet.packets);
            self.watch.refused(direction, packet);
        }
        arena.release(packet.place);
        Ok(())
    }

    /// Reads some packets of a port. Everything that was due before a packet happens before the
    /// packet is offered.
    fn read(&mut self, event: &Event) -> io::Result<()> {
        let direction = DirectionId::from_index(event.data.u64() as usize);
        for turn in 0..BATCH {
            let asked = self.clock.now();
            let Fabric { ports, arena, directions, .. } = &mut *self.fabric;
            let PortId(source) = directions[direction.index()].source;
            match ports[source].receive(arena.blank())? {
                Reading::Packet(received) => self.take(direction, &received, self.clock.now())?,
                Reading::Lost => self.health.malformed += 1,
                Reading::Malformed { len } => {
                    if !self.pass(direction, len)? {
                        self.health.malformed += 1;
                    }
                }
                Reading::Other { len } => {
                    self.pass(direction, len)?;
                }
                Reading::Empty => {
                    directions[direction.index()].port_empty(asked);
                    return if turn == 0 { still_there(event) } else { Ok(()) };
                }
            }
            if self.has_ended {
                break;
            }
        }
        Ok(())
    }

    /// Offers a packet that was received at `now`, before any departure at the same instant.
    fn take(&mut self, direction: DirectionId, received: &Received, now: Time) -> io::Result<()> {
        self.catch_up(..now)?;
        if self.has_ended {
            return Ok(());
        }
        self.enter(direction, received, now)?;
        self.catch_up(..=now)
    }

    /// Takes a packet from a test, at the time that the test chooses.
    #[cfg(test)]
    pub(super) fn take_packet(
        &mut self,
        direction: DirectionId,
        ip: &[u8],
        now: Time,
    ) -> io::Result<()> {
        self.fabric.arena.blank()[..ip.len()].copy_from_slice(ip);
        let received = Received::of_ip(0, ip.len(), Offload::default());
        self.take(direction, &received, now)
    }

    /// Takes a packet that has left the stack at the beginning of this direction.
    fn enter(&mut self, direction: DirectionId, received: &Received, now: Time) -> io::Result<()> {
        let Fabric { directions, arena, .. } = &mut *self.fabric;
        let ip = &arena.blank()[received.ip_start..received.end];
        let Some((view, packet)) = understand(ip, received.offload) else {
            if !self.pass(direction, received.end)? {
                self.health.malformed += 1;
            }
            return Ok(());
        };
        // There may be padding after the packet.
        let headers = &ip[..packet.total as usize];
        let whole = PacketSlices::whole(headers, packet.offload);
        let (tag, known) = match self.watch.entered(direction, &view, &whole, now) {
            Admission::Queue { tag, known } => (tag, known),
            Admission::Pass => return self.pass(direction, received.end).map(drop),
            Admission::Discard => return Ok(()),
        };
        let pieces = packet.pieces(directions[direction.index()].most_packets);
        match arena.keep(received, packet, pieces) {
            Ok(place) => {
                arena.know(place, known);
                self.offer(
                    direction,
                    &KeptPacket { packet: &packet, view: &view, place, tag },
                    now,
                );
            }
            Err(Full) => self.health.no_memory += u64::from(packet.packets),
        }
        Ok(())
    }

    /// Sends the first `len` bytes that were received on at once, if the direction does that. Returns
    /// false if it does not.
    fn pass(&mut self, id: DirectionId, len: usize) -> io::Result<bool> {
        let Fabric { ports, arena, directions, .. } = &mut *self.fabric;
        let direction = &directions[id.index()];
        if !direction.passes_others {
            return Ok(false);
        }
        let PortId(sink) = direction.sink;
        if ports[sink].pass(&arena.blank()[..len])? {
            self.watch.passed(id, len.saturating_sub(offload::HEADER_LEN));
        } else {
            self.health.device_drops += 1;
        }
        Ok(true)
    }

    /// Offers a packet that is kept, piece by piece.
    fn offer(&mut self, id: DirectionId, kept: &KeptPacket<'_>, now: Time) {
        let Fabric { directions, arena, .. } = &mut *self.fabric;
        let direction = &mut directions[id.index()];
        if let Some(waited) = direction.read(now) {
            self.health.reading.record(waited.as_nanos());
        }
        let Direction { link, framing, most_packets, .. } = direction;
        for packet in kept.pieces(*framing, *most_packets, now) {
            self.watch.offered(id, &packet, now);
            link.offer(packet, now, &mut Observer { direction: id, watch: self.watch, arena });
        }
        self.watch.waits(id, link.backlog(), now);
    }

    /// The packets of all stacks that were lost before they could be received.
    fn device_drops(&mut self) -> io::Result<u64> {
        self.fabric.ports.iter_mut().map(Port::device_drops).sum()
    }
}

/// Returns an error if the port is gone: nothing could be read, although the kernel reported an
/// event.
fn still_there(event: &Event) -> io::Result<()> {
    let flags = event.flags;
    if flags.intersects(EventFlags::HUP | EventFlags::ERR) {
        return Err(io::Error::new(io::ErrorKind::NotConnected, "the device of a port is gone"));
    }
    Ok(())
}

/// The error of a failed sleep. Old container runtimes return `EPERM` for system calls that they do
/// not know.
fn no_sleep(error: Errno) -> io::Error {
    match error {
        Errno::NOSYS | Errno::PERM => io::Error::new(
            io::ErrorKind::Unsupported,
            "this kernel cannot sleep exactly (epoll_pwait2): Linux 5.11 can, unless a container's \
             seccomp filter forbids it",
        ),
        error => error.into(),
    }
}

fn understand(ip: &[u8], offload: Offload) -> Option<(PacketView, SuperPacket)> {
    let view = dissect(LinkType::RAW, ip, 0).ok()?;
    Some((view, SuperPacket::parse(ip, &view, offload).ok()?))
}

fn timespec(span: Span) -> Timespec {
    let nanos = span.as_nanos();
    Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as _ }
}

/// The processor time of this thread so far.
#[expect(clippy::disallowed_methods, reason = "the loop says what it costs")]
pub fn processor_time() -> Span {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Span::from_secs(time.tv_sec as u64) + Span::from_nanos(time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_cannot_sleep_is_told_from_other_errors() {
        for error in [Errno::NOSYS, Errno::PERM] {
            let error = no_sleep(error);
            assert_eq!(error.kind(), io::ErrorKind::Unsupported);
            assert!(error.to_string().contains("seccomp"), "{error}");
        }
        assert_eq!(no_sleep(Errno::BADF).raw_os_error(), Some(Errno::BADF.raw_os_error()));
    }
}
