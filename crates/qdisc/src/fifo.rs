//! A single queue under one controller. All disciplines that decide about single packets are this
//! type, from `pfifo` to `pie`, each with its own controller ([`Aqm`]).

use units::Time;

use crate::aqm::{Aqm, Arrival, Kept};
use crate::{Backlog, Cause, ChangeError, Dequeued, Lane, Limit, Packet, Qdisc, Signals};

/// The packet that is dropped when there is no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DropFrom {
    /// Drop the arriving packet.
    #[default]
    Tail,
    /// Drop the packets that have waited longest, until the new one fits. The sender learns of the
    /// congestion earlier, by the time that the queue takes to drain.
    Head,
}

/// A queue with one controller and one limit.
#[derive(Clone, Debug)]
pub struct Fifo<P, A: Aqm> {
    lane: Lane<P>,
    limit: Limit,
    drop_from: DropFrom,
    aqm: A,
    state: A::State,
}

impl<P: Packet, A: Aqm> Fifo<P, A> {
    /// Creates an empty queue that drops arrivals beyond `limit`.
    pub fn new(limit: Limit, aqm: A) -> Self {
        Self {
            lane: Lane::default(),
            limit,
            drop_from: DropFrom::Tail,
            aqm,
            state: A::State::default(),
        }
    }

    /// This queue, but dropping from this end.
    #[must_use]
    pub fn drop_from(self, drop_from: DropFrom) -> Self {
        Self { drop_from, ..self }
    }

    /// The controller.
    pub const fn aqm(&self) -> &A {
        &self.aqm
    }

    /// The controller's state for this queue.
    pub const fn state(&self) -> &A::State {
        &self.state
    }

    #[inline]
    fn has_room(&self, more: Backlog) -> bool {
        self.limit.admits(self.lane.backlog(), more)
    }

    fn overflow(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>) {
        self.aqm.on_overflow(&mut self.state, packet.packets(), now);
        out.dropped(packet, Cause::Overflow, now);
    }

    /// Discards packets from the head while `goes_on`, without telling the controller.
    fn discard_while(
        &mut self,
        goes_on: impl Fn(&Self) -> bool,
        now: Time,
        out: &mut dyn Signals<P>,
    ) {
        while goes_on(self)
            && let Some((_, oldest)) = self.lane.pop()
        {
            out.dropped(oldest, Cause::Discarded, now);
        }
    }

    /// Drops packets from the head until this much fits.
    fn make_room(&mut self, more: Backlog, now: Time, out: &mut dyn Signals<P>) {
        while !self.has_room(more) {
            let Some((_, oldest)) = self.lane.pop() else { return };
            self.overflow(oldest, now, out);
        }
    }
}

impl<P: Packet, A: Aqm> Qdisc<P> for Fifo<P, A> {
    fn enqueue(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>) {
        let more = Backlog::of(&packet);
        let arrival = Arrival {
            full: self.drop_from == DropFrom::Tail && !self.has_room(more),
            ..Arrival::of(&packet, self.lane.backlog(), now)
        };
        let verdict = self.aqm.on_enqueue(&mut self.state, &arrival);
        let may_mark = self.aqm.ecn() && arrival.ecn_capable;
        if arrival.full && !verdict.drops(may_mark) {
            return self.overflow(packet, now, out);
        }
        let Some(packet) = verdict.apply(packet, self.aqm.ecn(), now, out) else { return };
        if self.drop_from == DropFrom::Head {
            self.make_room(more, now, out);
            // The packet does not fit even into the empty queue.
            if !self.has_room(more) {
                return self.overflow(packet, now, out);
            }
        }
        self.lane.push(packet, now);
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut dyn Signals<P>) -> Dequeued<P> {
        let mut shared = self.lane.backlog();
        match self.lane.pop_under(&mut self.aqm, &mut self.state, &mut shared, now, out) {
            Some((packet, sojourn)) => Dequeued::Packet { packet, sojourn },
            None => Dequeued::Empty,
        }
    }

    #[cold]
    #[inline(never)]
    fn change(
        &mut self,
        like: Self,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Result<(), ChangeError> {
        if like.drop_from != self.drop_from {
            return Err(ChangeError::DropFrom);
        }
        let is_other = self.aqm.change(like.aqm)? || like.limit != self.limit;
        self.limit = like.limit;
        match A::KEPT {
            Kept::Nothing if is_other => {
                self.discard_while(|_| true, now, out);
                self.state = A::State::default();
                self.aqm.on_empty(&mut self.state, now);
            }
            Kept::WhatFits => {
                self.discard_while(|queue| !queue.has_room(Backlog::default()), now, out);
            }
            Kept::All | Kept::Nothing => {}
        }
        Ok(())
    }

    #[inline]
    fn bypass(&self) -> Limit {
        if A::IS_ACTIVE { Limit::NONE } else { self.limit }
    }

    #[inline]
    fn is_tail_drop_fifo(&self) -> bool {
        !A::IS_ACTIVE && self.drop_from == DropFrom::Tail
    }

    fn backlog(&self) -> Backlog {
        self.lane.backlog()
    }

    fn observes_idle(&self) -> bool {
        A::IS_ACTIVE
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use units::Bytes;

    use super::*;
    use crate::Ecn;
    use crate::aqm::TailDrop;
    use crate::history::{Fates, Probe};

    /// The packets that are left and those that were dropped, after packets of these lengths
    /// arrived.
    fn fate(limit: Limit, drop_from: DropFrom, lens: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let mut queue = Fifo::new(limit, TailDrop).drop_from(drop_from);
        let mut outcome = Fates::default();
        for (id, len) in (0..).zip(lens) {
            let (len, ecn) = (Bytes(*len), Ecn::NotEct);
            queue.enqueue(
                Probe { id, flow: 0, len, ecn, wrongly_marked: false, packets: 1 },
                Time::ZERO,
                &mut outcome,
            );
        }
        assert!(outcome.dropped.iter().all(|(.., cause)| *cause == Cause::Overflow));
        let dropped = outcome.dropped.iter().map(|(_, packet, _)| packet.id).collect();
        let left = core::iter::from_fn(|| match queue.dequeue(Time::ZERO, &mut ()) {
            Dequeued::Packet { packet, .. } => Some(packet.id),
            Dequeued::NotBefore(_) | Dequeued::Empty => None,
        });
        (left.collect(), dropped)
    }

    #[test]
    fn tail_drop_refuses_what_does_not_fit() {
        let by = |limit, lens| fate(limit, DropFrom::Tail, lens);
        assert_eq!(by(Limit::packets(2), &[1, 1, 1, 1]), ([0, 1].into(), [2, 3].into()));
        assert_eq!(by(Limit::bytes(Bytes(100)), &[60, 50, 40]), ([0, 2].into(), [1].into()));
    }

    #[test]
    fn head_drop_makes_room_for_the_newest() {
        let by = |limit, lens| fate(limit, DropFrom::Head, lens);
        assert_eq!(by(Limit::packets(2), &[1, 1, 1, 1]), ([2, 3].into(), [0, 1].into()));
        assert_eq!(by(Limit::bytes(Bytes(100)), &[30, 30, 40, 70]), ([3].into(), [0, 1, 2].into()));
        // Too long for even the empty queue.
        assert_eq!(by(Limit::bytes(Bytes(100)), &[101]), ([].into(), [0].into()));
    }

    /// A piece of a super-packet that does not fit whole is dropped whole.
    #[test]
    fn a_limit_in_packets_counts_all_that_a_piece_stands_for() {
        let mut queue = Fifo::new(Limit::packets(10), TailDrop);
        let mut outcome = Fates::default();
        for (id, packets) in (0..).zip([4, 5, 2, 1, 1]) {
            let (len, ecn) = (Bytes(1000 * packets), Ecn::NotEct);
            let probe = Probe { id, flow: 0, len, ecn, packets, wrongly_marked: false };
            queue.enqueue(probe, Time::ZERO, &mut outcome);
        }
        assert_eq!(queue.backlog(), Backlog { packets: 10, bytes: Bytes(10_000) });
        let dropped = outcome.dropped.iter().map(|(_, packet, _)| packet.id);
        assert_eq!(dropped.collect::<Vec<_>>(), [2, 4]);
        let Dequeued::Packet { packet, .. } = queue.dequeue(Time::ZERO, &mut ()) else { panic!() };
        assert_eq!((packet.packets, queue.backlog().packets), (4, 6));
    }

    #[test]
    fn both_limits_hold() {
        let limit = Limit { packets: 3, bytes: Bytes(100) };
        assert_eq!(fate(limit, DropFrom::Tail, &[10, 10, 10, 10]).1, [3]);
        assert_eq!(fate(limit, DropFrom::Tail, &[90, 20, 10]).1, [1]);
    }
}
