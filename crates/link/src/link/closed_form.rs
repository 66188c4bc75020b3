//! A link in closed form: a FIFO in front of a plain wire, of which all that happens to a packet is
//! known when the packet comes.
//!
//! The wire sends in the order of arrival, and only an arriving packet is dropped. So a packet starts
//! when the wire has sent those before it: Lindley's recursion, D. V. Lindley, "The theory of queues
//! with a single server", 1952. The packet need not be held in the queue, and goes onto the wire when
//! it comes, with the time at which it will reach the far end. The link only remembers who waits until
//! when, for the limit and for statistics.

use alloc::collections::VecDeque;

use qdisc::{Backlog, Limit, Packet, Qdisc};
use units::{Span, Time};

use super::Link;
use crate::pipe::append;
use crate::{LinkSignals, Looks};

/// The packets that wait at a link in closed form.
#[derive(Clone, Debug)]
pub(super) struct ClosedForm {
    limit: Limit,
    waiting: VecDeque<Waiting>,
    backlog: Backlog,
    /// The looks that no packet has passed yet.
    looks: Looks,
    /// The times at which the wire was free when somebody will have looked: of each look before the next
    /// of `looks`, since packets that come later have been taken.
    seen: VecDeque<Time>,
    /// True if packets had been taken at the time of the last look or later.
    was_ahead: bool,
}

/// A packet that waits until the wire is free.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    arrived: Time,
    start: Time,
    amount: Backlog,
}

/// A link as somebody sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The time that a packet would wait ([`Link::new_flow_wait`]).
    pub new_flow_wait: Span,
    /// True if a packet waits or is being sent ([`Link::is_busy`]).
    pub is_busy: bool,
}

/// The fate of a packet that comes to a link in closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreseen {
    /// The packet starts at once, and is delivered at this time.
    Passes(Time),
    /// The packet waits, and is delivered at this time.
    Waits(Time),
    /// The packet is dropped, since it does not fit into the queue.
    Overflows,
}

/// A packet that has left the queue of a link in closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The time at which the packet left.
    pub time: Time,
    /// The time for which the packet waited.
    pub sojourn: Span,
    /// The packet's length, and the number of packets for which it stands.
    pub amount: Backlog,
}

impl ClosedForm {
    pub(super) const fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// The time of the first event at `now` or later, at the time of a look: a packet that waits departs.
    /// `now` if a packet that was taken ahead of time comes, at an unknown time. `None` if there is none.
    pub(super) fn next_event(&self, now: Time) -> Option<Time> {
        let mut departures = self.waiting.iter().map(|packet| packet.start);
        if self.was_ahead { Some(now) } else { departures.find(|start| *start >= now) }
    }

    /// Remembers when the wire is free, for the looks until a packet comes now.
    #[cold]
    fn look_until(&mut self, now: Time, free_at: Time) {
        while self.looks.due() <= now {
            self.seen.push_back(free_at);
            self.looks.advance();
        }
    }

    #[inline]
    pub(super) fn next_departure(&self) -> Option<Time> {
        self.waiting.front().map(|first| first.start)
    }
}

impl<P: Packet, Q: Qdisc<P>> Link<P, Q> {
    /// Brings an idle link into closed form, if it has one: its queue is a FIFO, and the wire has a
    /// constant rate or none, no shaper, and no losses. From now on the link is driven by
    /// [`foresee`](Self::foresee) in place of `offer` and `serve`.
    pub fn close_form(&mut self) {
        if self.is_plain && self.queue.is_tail_drop_fifo() && self.due.is_none() {
            let (limit, backlog) = (self.queue.bypass(), Backlog::default());
            let looks = Looks::new(Time::MAX, Span::ZERO);
            let (waiting, seen) = (VecDeque::new(), VecDeque::new());
            self.closed =
                Some(ClosedForm { limit, waiting, backlog, looks, seen, was_ahead: false });
        }
    }

    /// True if the link is in closed form.
    #[inline]
    pub const fn is_closed_form(&self) -> bool {
        self.closed.is_some()
    }

    /// Decides what happens to a packet that comes now. The caller then puts it [on the
    /// wire](Self::carry) or, if it reaches the far end before anybody looks, takes it on from there.
    ///
    /// The link is in closed form, and the [departures](Self::take_departure) before now have been
    /// taken. Otherwise every packet overflows. Packets may come ahead of the [looks](Self::look).
    #[inline(always)]
    pub fn foresee(&mut self, packet: &P, now: Time) -> Foreseen {
        let Some(closed) = &mut self.closed else { return Foreseen::Overflows };
        let amount = Backlog::of(packet);
        let start = self.transmitter.free_at();
        if now >= closed.looks.due() {
            closed.look_until(now, start);
        }
        if start <= now {
            // No packet waits.
            if !closed.limit.admits(Backlog::default(), amount) {
                return Foreseen::Overflows;
            }
            let sent = self.transmitter.send_plain(packet.len(), now);
            return Foreseen::Passes(sent + self.pipe.delay());
        }
        if !closed.limit.admits(closed.backlog, amount) {
            return Foreseen::Overflows;
        }
        closed.backlog += amount;
        append(&mut closed.waiting, Waiting { arrived: now, start, amount });
        let sent = self.transmitter.send_plain(packet.len(), start);
        Foreseen::Waits(sent + self.pipe.delay())
    }

    /// Puts a packet on the wire that is delivered at this time, as foreseen.
    #[inline]
    pub fn carry(&mut self, packet: P, delivery: Time) {
        self.pipe.push(packet, delivery);
    }

    /// True if packets that have waited at a link in closed form have left before `until`, and their
    /// departures were not taken yet.
    #[inline]
    pub fn has_departures(&self, until: Time) -> bool {
        self.closed.as_ref().and_then(ClosedForm::next_departure).is_some_and(|start| start < until)
    }

    /// The next departure of a packet that has waited, at a link in closed form; `None` if none was
    /// before `until`.
    #[inline]
    pub fn take_departure(&mut self, until: Time) -> Option<Departure> {
        let closed = self.closed.as_mut()?;
        let Waiting { arrived, start, amount } = *closed.waiting.front()?;
        if start >= until {
            return None;
        }
        closed.waiting.pop_front();
        closed.backlog -= amount;
        Some(Departure { time: start, sojourn: start.since(arrived), amount })
    }

    /// Sets the times at which the caller will [look](Self::look), which are later than all packets that
    /// have come so far.
    pub fn set_looks(&mut self, looks: Looks) {
        if let Some(closed) = &mut self.closed {
            closed.looks = looks;
        }
    }

    /// The link at the time of the next look, or before. Of a link in closed form, this is how it was before
    /// packets came that were taken ahead of the look.
    #[inline]
    pub fn look(&mut self, now: Time) -> Look {
        let Some(closed) = &mut self.closed else {
            return Look { new_flow_wait: self.new_flow_wait(now), is_busy: self.is_busy(now) };
        };
        let seen = closed.seen.pop_front();
        closed.was_ahead = seen.is_some();
        if seen.is_none() && closed.looks.due() <= now {
            closed.looks.advance();
        }
        let free_at = seen.unwrap_or(self.transmitter.free_at());
        Look { new_flow_wait: free_at.since(now), is_busy: free_at > now }
    }

    /// Ends the closed form: the packets that wait go back into the queue. All packets that have come
    /// so far came before `now`, and the departures before then have been taken.
    #[cold]
    #[inline(never)]
    pub fn open_form<S: LinkSignals<P>>(&mut self, out: &mut S) {
        let Some(closed) = self.closed.take() else { return };
        for packet in closed.waiting.iter().rev() {
            self.transmitter.take_back(packet.amount.bytes, packet.start);
        }
        let packets = self.pipe.take_last(closed.waiting.len());
        for (waiting, packet) in closed.waiting.iter().zip(packets) {
            self.queue.enqueue(packet, waiting.arrived, out);
        }
        self.waiting = self.queue.backlog();
        self.due = closed.next_departure();
    }
}
