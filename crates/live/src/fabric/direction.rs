//! One direction of a link: its queue and wire, and who is told what they do.

use link::{Capacity, Link, LinkSignals};
use qdisc::{AnyQdisc, Cause, Signals};
use units::{Bytes, Span, Time};

use super::{DirectionSetup, Watch};
use crate::{Arena, Parcel};

/// One direction of a link at work.
#[derive(Debug)]
pub(super) struct Direction {
    pub(super) link: Link<Parcel, AnyQdisc<Parcel>>,
    pub(super) overhead: Bytes,
    pub(super) most_packets: u16,
    has_limit: bool,
    /// When the port where it begins was empty for the last time that we know of.
    port_empty_at: Time,
    /// Has nothing been read since?
    port_was_empty: bool,
    /// How far the wire is behind one that gets each packet when it comes.
    lag: Span,
    /// The most that this has been.
    pub(super) lost_credit: Span,
}

impl Direction {
    pub(super) fn new(setup: DirectionSetup) -> Self {
        Self {
            has_limit: setup.wire.capacity != Capacity::Unlimited,
            link: Link::new(setup.queue, setup.wire, setup.rng),
            overhead: setup.overhead,
            most_packets: setup.most_packets,
            port_empty_at: Time::ZERO,
            port_was_empty: false,
            lag: Span::ZERO,
            lost_credit: Span::ZERO,
        }
    }

    pub(super) fn has_limit(&self) -> bool {
        self.has_limit
    }

    /// When something happens in the link by itself.
    #[inline]
    pub(super) fn due(&self) -> Option<Time> {
        Time::earliest(self.link.next_arrival(), self.link.next_departure())
    }

    /// Counts begin now; what is in the port, and since when, is not known.
    pub(super) fn begin(&mut self, now: Time) {
        (self.port_empty_at, self.port_was_empty) = (now, false);
        (self.lag, self.lost_credit) = (Span::ZERO, Span::ZERO);
    }

    /// Nothing was in the port at this time.
    pub(super) fn port_empty(&mut self, at: Time) {
        self.port_empty_at = self.port_empty_at.max(at);
        self.port_was_empty = true;
    }

    /// A packet has been read. Answers how long it may have waited for that, which is known of the
    /// first one after the port was empty.
    pub(super) fn read(&mut self, now: Time) -> Option<Span> {
        if self.has_limit && self.link.backlog().packets == 0 {
            self.lose_credit(now);
        }
        let was_empty = core::mem::take(&mut self.port_was_empty);
        was_empty.then(|| now.since(self.port_empty_at))
    }

    /// A packet meets an idle wire, if this one is not busy. If it has run dry since the port was
    /// empty, the packet may have been there in time. Else the wire has stood idle because nothing
    /// came, and has had time to make up for what it lost before.
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

/// Passes on to a watch what a link signals, and forgets the packets that go no further.
pub(super) struct Observer<'a, W> {
    pub(super) direction: usize,
    pub(super) watch: &'a mut W,
    pub(super) arena: &'a mut Arena,
}

impl<W: Watch> Signals<Parcel> for Observer<'_, W> {
    fn dropped(&mut self, parcel: Parcel, cause: Cause, now: Time) {
        self.watch.dropped(self.direction, &parcel, cause, now);
        self.arena.release(&parcel);
    }

    fn marked(&mut self, parcel: &Parcel, cause: Cause, now: Time) {
        self.watch.marked(self.direction, parcel, cause, now);
    }
}

impl<W: Watch> LinkSignals<Parcel> for Observer<'_, W> {
    fn departed(&mut self, parcel: &Parcel, sojourn: Span, now: Time) {
        self.watch.departed(self.direction, parcel, sojourn, now);
    }

    fn lost(&mut self, parcel: Parcel, now: Time) {
        self.watch.lost(self.direction, &parcel, now);
        self.arena.release(&parcel);
    }
}

#[cfg(test)]
mod tests {
    use link::Wire;
    use qdisc::{Ecn, Marking};

    use super::super::tests::rig;
    use super::*;

    fn at(micros: u64) -> Time {
        Time::ZERO + Span::from_micros(micros)
    }

    /// Packets are read at these times, each after the port was empty at the one before. It takes
    /// the wire 100 us to send one. Answers by how much the wire fell behind.
    fn lost_credit(direction: &mut Direction, reads: &[(u64, u64)]) -> Span {
        for (empty, read) in reads {
            direction.port_empty(at(*empty));
            assert_eq!(direction.read(at(*read)), Some(at(*read).since(at(*empty))));
            let parcel = Parcel {
                offered: at(*read),
                digest: 0,
                place: 0,
                len: 1000,
                tag: 0,
                first: 0,
                packets: 1,
                marking: Marking::of(Ecn::NotEct),
            };
            direction.link.offer(parcel, at(*read), &mut ());
            while direction.link.take_arrival(Time::MAX).is_some() {}
        }
        direction.lost_credit
    }

    fn new() -> Direction {
        let mut direction =
            Direction::new(rig::direction("pfifo limit 9", rig::wire(80_000_000, Span::ZERO)));
        direction.begin(Time::ZERO);
        direction
    }

    /// The first packet comes when nothing was lost: the port was empty, and the wire long idle.
    #[test]
    fn a_wire_that_stood_idle_for_want_of_packets_has_lost_nothing() {
        assert_eq!(
            lost_credit(&mut new(), &[(1000, 1050), (1151, 1250), (5000, 5900)]),
            Span::ZERO
        );
    }

    /// It ran dry at 1150, 30 us before the next was read, which may have come since 1120.
    #[test]
    fn what_it_stood_idle_for_while_a_packet_waited_is_lost() {
        let direction = &mut new();
        assert_eq!(lost_credit(direction, &[(1000, 1050), (1120, 1180)]), Span::from_micros(30));
        // And once more, before it could make up for it.
        assert_eq!(lost_credit(direction, &[(1200, 1290)]), Span::from_micros(40));
    }

    /// Idle for want of packets from 1280 to 1305, it has made up for 25 us of the 30.
    #[test]
    fn later_idleness_makes_up_for_it() {
        let direction = &mut new();
        let lost = lost_credit(direction, &[(1000, 1050), (1120, 1180), (1305, 1305)]);
        assert_eq!((lost, direction.lag), (Span::from_micros(30), Span::from_micros(5)));
        // Only the worst of all counts, not the sum.
        let lost = lost_credit(direction, &[(1400, 1425)]);
        assert_eq!((lost, direction.lag), (Span::from_micros(30), Span::from_micros(25)));
        assert_eq!(lost_credit(direction, &[(1520, 1545)]), Span::from_micros(45));
    }

    /// A busy wire, or one that takes no time, loses nothing however late it is.
    #[test]
    fn only_an_idle_wire_with_a_limit_can_lose() {
        let direction = &mut new();
        let reads: Vec<_> = (0..6).map(|n| (1000 + 50 * n, 1040 + 50 * n)).collect();
        assert_eq!(lost_credit(direction, &reads), Span::ZERO);
        let unlimited = &mut Direction::new(rig::direction("pfifo limit 9", Wire::default()));
        unlimited.begin(Time::ZERO);
        assert_eq!(lost_credit(unlimited, &[(1000, 9000), (9001, 20_000)]), Span::ZERO);
    }

    /// Of the packets that come in one go only the first one's wait is known.
    #[test]
    fn the_wait_to_be_read_is_told_of_each_first_packet() {
        let direction = &mut new();
        assert_eq!(direction.read(at(10)), None, "nobody has looked into the port before");
        direction.port_empty(at(30));
        // What is learnt late does not make it earlier.
        direction.port_empty(at(20));
        assert_eq!(direction.read(at(42)), Some(Span::from_micros(12)));
        assert_eq!(direction.read(at(43)), None);
    }
}
