//! A lane: packets in the order of their arrival, each with the time at which it arrived.

use alloc::collections::VecDeque;

use units::{Bytes, Span, Time};

use crate::aqm::{Aqm, Departure, Verdict};
use crate::{Backlog, Packet, Signals};

/// The smallest step, in packets, by which a queue grows.
const FEWEST: usize = 4;

/// Appends to a queue, which grows by an eighth rather than to twice its size: long queues take the
/// most memory, and the less they take the more of it is in the processor's caches.
#[inline]
pub(crate) fn append<T>(queue: &mut VecDeque<T>, last: T) {
    if queue.len() == queue.capacity() {
        grow(queue);
    }
    queue.push_back(last);
}

#[cold]
fn grow<T>(queue: &mut VecDeque<T>) {
    queue.reserve_exact((queue.len() / 8).max(FEWEST));
}

/// A time-stamped FIFO without a limit. Memory is allocated only when a lane gets longer than it
/// ever was.
#[derive(Clone, Debug)]
pub struct Lane<P> {
    packets: VecDeque<(Time, P)>,
    backlog: Backlog,
}

impl<P> Default for Lane<P> {
    fn default() -> Self {
        Self { packets: VecDeque::new(), backlog: Backlog::default() }
    }
}

impl<P: Packet> Lane<P> {
    /// Appends a packet that arrives now.
    pub fn push(&mut self, packet: P, now: Time) {
        self.backlog += Backlog::of(&packet);
        append(&mut self.packets, (now, packet));
    }

    /// Removes the oldest packet without asking a controller, and returns it with the time of its
    /// arrival; `None` if nothing waits.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, P)> {
        let (arrived, packet) = self.packets.pop_front()?;
        self.backlog -= Backlog::of(&packet);
        Some((arrived, packet))
    }

    /// Removes the oldest packet that `aqm` lets through, and returns it with its sojourn; `None`
    /// if no packet is left. Packets dropped on the way go to `out`. `shared` is the backlog of all
    /// the lanes that share the link, this one included; it is brought up to date.
    #[inline(always)]
    pub fn pop_under<A: Aqm>(
        &mut self,
        aqm: &mut A,
        state: &mut A::State,
        shared: &mut Backlog,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Option<(P, Span)> {
        let Some(departure) = self.departure_of_oldest(*shared, now) else {
            aqm.on_empty(state, now);
            return None;
        };
        match aqm.on_dequeue(state, &departure) {
            Verdict::Pass => Some((self.take_oldest(&departure, shared)?, departure.sojourn)),
            verdict => self.pop_on(verdict, departure, aqm, state, shared, out),
        }
    }

    /// Carries out a verdict about the oldest packet, and goes on to the packets behind it until one is let
    /// through.
    ///
    /// This is the only drop loop of all disciplines. Every round takes one packet out of the lane
    /// for good, so a call costs at most as many rounds as packets wait, and each packet at most
    /// one.
    #[inline(never)]
    fn pop_on<A: Aqm>(
        &mut self,
        mut verdict: Verdict,
        mut departure: Departure,
        aqm: &mut A,
        state: &mut A::State,
        shared: &mut Backlog,
        out: &mut dyn Signals<P>,
    ) -> Option<(P, Span)> {
        let now = departure.now;
        loop {
            let packet = self.take_oldest(&departure, shared)?;
            if let Some(packet) = verdict.apply(packet, aqm.ecn(), now, out) {
                return Some((packet, departure.sojourn));
            }
            let Some(next) = self.departure_of_oldest(*shared, now) else {
                aqm.on_empty(state, now);
                return None;
            };
            departure = next;
            verdict = aqm.on_dequeue(state, &departure);
        }
    }

    /// The departure of the oldest packet, which stays where it is until the verdict, so that it is copied
    /// once; `None` if nothing waits.
    #[inline]
    fn departure_of_oldest(&self, shared: Backlog, now: Time) -> Option<Departure> {
        let (arrived, packet) = self.packets.front()?;
        let amount = Backlog::of(packet);
        let (backlog, shared) = (self.backlog - amount, shared - amount);
        Some(Departure { backlog, shared, ..Departure::of(packet, *arrived, now) })
    }

    /// Removes the oldest packet, whose departure this is, also from the backlog that is shared with other
    /// lanes; `None` if nothing waits.
    #[inline]
    fn take_oldest(&mut self, departure: &Departure, shared: &mut Backlog) -> Option<P> {
        let (_, packet) = self.packets.pop_front()?;
        (self.backlog, *shared) = (departure.backlog, departure.shared);
        Some(packet)
    }

    /// The bytes of the oldest packets up to the one that reaches `credit`, which is counted whole;
    /// all the bytes that wait if they do not reach it. Only those packets are visited.
    pub(crate) fn bytes_for(&self, credit: Bytes) -> Bytes {
        let mut bytes = Bytes::ZERO;
        for (_, packet) in &self.packets {
            if bytes >= credit {
                break;
            }
            bytes += packet.len();
        }
        bytes
    }

    /// The packets and bytes that wait.
    pub const fn backlog(&self) -> Backlog {
        self.backlog
    }
}
