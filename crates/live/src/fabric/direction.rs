//! One direction of a link: its queue and wire, and the observer of their events.

use std::collections::VecDeque;

use link::{Capacity, Framing, Link, LinkSignals};
use qdisc::{Cause, ChangeError, Qdisc, Signals};
use units::{DirectionId, Span, Time};

use super::{Change, DirectionSetup, PortId, Watch};
use crate::{Arena, QueuedPacket};

/// One direction of a link at work.
#[derive(Debug)]
pub(super) struct Direction<Q> {
    /// The port at which the direction begins.
    pub(super) source: PortId,
    /// The port at which the direction ends.
    pub(super) sink: PortId,
    /// See [`DirectionSetup::passes_others`].
    pub(super) passes_others: bool,
    pub(super) link: Link<QueuedPacket, Q>,
    pub(super) framing: Framing,
    pub(super) most_packets: u16,
    has_limit: bool,
    /// The changes that are still to come.
    changes: VecDeque<Change<Q>>,
    /// The latest time at which the port where the direction begins is known to have been empty.
    port_empty_at: Time,
    /// True if no packet has been read since `port_empty_at`.
    port_was_empty: bool,
    /// The time by which the wire is behind one that gets each packet as soon as it arrives.
    lag: Span,
    /// The largest lag so far.
    pub(super) lost_credit: Span,
}

impl<Q: Qdisc<QueuedPacket>> Direction<Q> {
    pub(super) fn new(source: PortId, sink: PortId, setup: DirectionSetup<Q>) -> Self {
        Self {
            source,
            sink,
            passes_others: setup.passes_others,
            has_limit: setup.wire.capacity != Capacity::Unlimited,
            link: Link::new(setup.queue, setup.wire, setup.rng),
            framing: setup.framing,
            most_packets: setup.most_packets,
            changes: setup.changes.into(),
            port_empty_at: Time::ZERO,
            port_was_empty: false,
            lag: Span::ZERO,
            lost_credit: Span::ZERO,
        }
    }

    pub(super) fn has_limit(&self) -> bool {
        self.has_limit || self.link.queue().shaping().is_some()
    }

    /// The time of the direction's next event; `None` if there is none.
    #[inline]
    pub(super) fn due(&self) -> Option<Time> {
        let of_link = Time::earliest(self.link.next_delivery(), self.link.next_departure());
        Time::earliest(of_link, self.next_change())
    }

    /// The time until which the loop may sleep; `None` if nothing will happen on this direction.
    pub(super) fn wakes(&self) -> Option<Time> {
        Time::earliest(self.link.earliest_delivery(), self.next_change())
    }

    #[inline]
    fn next_change(&self) -> Option<Time> {
        self.changes.front().map(|change| change.at)
    }

    /// The next change; `None` if none is due by now.
    pub(super) fn take_change(&mut self, now: Time) -> Option<Change<Q>> {
        self.changes.pop_front_if(|change| change.at <= now)
    }

    /// Carries out a change.
    ///
    /// # Errors
    /// If the queue cannot change so.
    pub(super) fn change<S: LinkSignals<QueuedPacket>>(
        &mut self,
        change: Change<Q>,
        now: Time,
        out: &mut S,
    ) -> Result<(), ChangeError> {
        self.most_packets = change.most_packets;
        if let Some(rate) = change.rate {
            self.link.change_rate(rate, now);
        }
        if let Some(rate) = change.shaping {
            self.link.change_shaping(rate, now);
        }
        change.queue.map_or(Ok(()), |like| self.link.change_queue(like, now, out))
    }

    /// Begins the counts. Until the first read, it is not known whether the port holds packets, and
    /// since when.
    pub(super) fn begin(&mut self, now: Time) {
        (self.port_empty_at, self.port_was_empty) = (now, false);
        (self.lag, self.lost_credit) = (Span::ZERO, Span::ZERO);
    }

    /// Notes that the port was empty at this time.
    pub(super) fn port_empty(&mut self, at: Time) {
        self.port_empty_at = self.port_empty_at.max(at);
        self.port_was_empty = true;
    }

    /// Notes that a packet has been read. Returns the longest time that it may have waited for
    /// that; `None` unless it is the first one after the port was empty.
    pub(super) fn read(&mut self, now: Time) -> Option<Span> {
        if self.has_limit && self.link.backlog().packets == 0 {
            self.lose_credit(now);
        }
        let was_empty = core::mem::take(&mut self.port_was_empty);
        was_empty.then(|| now.since(self.port_empty_at))
    }

    /// Updates the lag for a packet that meets an empty queue. If the wire became idle after the
    /// port was last empty, the packet may have been in the port since then, and the idle time is
    /// lost. Otherwise the wire was idle because nothing came, and that time makes up for earlier
    /// losses.
    fn lose_credit(&mut self, now: Time) {
        let idle_since = self.link.busy_until();
        if idle_since >= self.port_empty_at {
            self.lag += now.since(idle_since);
        } else {
            self.lag -= self.port_empty_at.since(idle_since);
        }
        self.lost_credit = self.lost_credit.max(self.lag);
    }
}

/// The observer of a link: it passes the link's signals on to a watch, and releases the packets
/// that go no further.
pub(super) struct Observer<'a, W> {
    pub(super) direction: DirectionId,
    pub(super) watch: &'a mut W,
    pub(super) arena: &'a mut Arena,
}

impl<W: Watch> Signals<QueuedPacket> for Observer<'_, W> {
    fn dropped(&mut self, packet: QueuedPacket, cause: Cause, now: Time) {
        self.watch.dropped(self.direction, &packet, cause, now);
        self.arena.release(packet.place);
    }

    fn marked(&mut self, packet: &QueuedPacket, cause: Cause, now: Time) {
        self.watch.marked(self.direction, packet, cause, now);
    }

    fn store(&self) -> &Arena {
        self.arena
    }
}

impl<W: Watch> LinkSignals<QueuedPacket> for Observer<'_, W> {
    fn departed(&mut self, packet: &QueuedPacket, sojourn: Span, now: Time) {
        self.watch.departed(self.direction, packet, sojourn, now);
    }

    fn lost(&mut self, packet: QueuedPacket, now: Time) {
        self.watch.lost(self.direction, &packet, now);
        self.arena.release(packet.place);
    }
}

#[cfg(test)]
mod tests {
    use link::Wire;
    use qdisc::{AnyQdisc, Ecn, Marking};
    use units::Bytes;

    use super::super::tests::rig;
    use super::*;

    fn at(micros: u64) -> Time {
        Time::ZERO + Span::from_micros(micros)
    }

    /// Reads packets at the second times; the port was empty at the first ones. The wire takes 100
    /// us for a packet. Returns the time by which the wire fell behind.
    fn lost_credit(
        direction: &mut Direction<AnyQdisc<QueuedPacket>>,
        reads: &[(u64, u64)],
    ) -> Span {
        for (empty, read) in reads {
            direction.port_empty(at(*empty));
            assert_eq!(direction.read(at(*read)), Some(at(*read).since(at(*empty))));
            let packet = QueuedPacket {
                offered: at(*read),
                digest: 0,
                place: 0,
                len: 1000,
                tag: 0,
                first: 0,
                packets: 1,
                marking: Marking::of(Ecn::NotEct),
            };
            let (watch, arena) = (&mut rig::Log::new(vec![], 0), &mut Arena::new(Bytes::ZERO));
            let observer = &mut Observer { direction: rig::FORWARD, watch, arena };
            direction.link.offer(packet, at(*read), observer);
            while direction.link.take_delivery(Time::MAX).is_some() {}
        }
        direction.lost_credit
    }

    fn new() -> Direction<AnyQdisc<QueuedPacket>> {
        let mut direction = Direction::new(
            PortId(0),
            PortId(0),
            rig::direction("pfifo limit 9", rig::wire(80_000_000, Span::ZERO)),
        );
        direction.begin(Time::ZERO);
        direction
    }

    /// No time is lost: when the first packet comes, the port was just empty, and the wire has long
    /// been idle.
    #[test]
    fn a_wire_that_stood_idle_for_want_of_packets_has_lost_nothing() {
        assert_eq!(
            lost_credit(&mut new(), &[(1000, 1050), (1151, 1250), (5000, 5900)]),
            Span::ZERO
        );
    }

    /// The wire was idle from 1150, 30 us before the next packet was read, which may have come
    /// since 1120.
    #[test]
    fn what_it_stood_idle_for_while_a_packet_waited_is_lost() {
        let direction = &mut new();
        assert_eq!(lost_credit(direction, &[(1000, 1050), (1120, 1180)]), Span::from_micros(30));
        // Once more, before the wire could make up for it.
        assert_eq!(lost_credit(direction, &[(1200, 1290)]), Span::from_micros(40));
    }

    /// The wire was idle for want of packets from 1280 to 1305, and so makes up for 25 us of the
    /// 30.
    #[test]
    fn later_idleness_makes_up_for_it() {
        let direction = &mut new();
        let lost = lost_credit(direction, &[(1000, 1050), (1120, 1180), (1305, 1305)]);
        assert_eq!((lost, direction.lag), (Span::from_micros(30), Span::from_micros(5)));
        // The worst value counts, not the sum.
        let lost = lost_credit(direction, &[(1400, 1425)]);
        assert_eq!((lost, direction.lag), (Span::from_micros(30), Span::from_micros(25)));
        assert_eq!(lost_credit(direction, &[(1520, 1545)]), Span::from_micros(45));
    }

    /// A busy wire, or one without a limit, loses nothing however late the loop is.
    #[test]
    fn only_an_idle_wire_with_a_limit_can_lose() {
        let direction = &mut new();
        let reads: Vec<_> = (0..6).map(|n| (1000 + 50 * n, 1040 + 50 * n)).collect();
        assert_eq!(lost_credit(direction, &reads), Span::ZERO);
        let unlimited = &mut Direction::new(
            PortId(0),
            PortId(0),
            rig::direction("pfifo limit 9", Wire::default()),
        );
        unlimited.begin(Time::ZERO);
        assert_eq!(lost_credit(unlimited, &[(1000, 9000), (9001, 20_000)]), Span::ZERO);
    }

    /// Of several packets that are read in a row, only the first one's wait is known.
    #[test]
    fn the_wait_to_be_read_is_told_of_each_first_packet() {
        let direction = &mut new();
        assert_eq!(direction.read(at(10)), None, "nobody has looked into the port before");
        direction.port_empty(at(30));
        // An earlier empty time, reported later, changes nothing.
        direction.port_empty(at(20));
        assert_eq!(direction.read(at(42)), Some(Span::from_micros(12)));
        assert_eq!(direction.read(at(43)), None);
    }
}
