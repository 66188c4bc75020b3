//! A lane: packets in the order of their arrival, each with the time at which it arrived.

use alloc::collections::VecDeque;

use units::{Bytes, Span, Time};

use crate::aqm::{Aqm, Departure};
use crate::{Backlog, Packet, Signals};

/// The fewest packets that a lane grows by.
const FEWEST: usize = 4;

/// A time-stamped FIFO without a limit. It allocates only when it grows beyond what it held before.
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
        if self.packets.len() == self.packets.capacity() {
            // By an eighth, not to twice as much: long queues are what takes the most memory.
            self.packets.reserve_exact((self.packets.len() / 8).max(FEWEST));
        }
        self.packets.push_back((now, packet));
    }

    /// Takes the oldest packet and the time of its arrival, asking nobody.
    pub fn pop(&mut self) -> Option<(Time, P)> {
        let (arrived, packet) = self.packets.pop_front()?;
        self.backlog -= Backlog::of(&packet);
        Some((arrived, packet))
    }

    /// Takes the oldest packet that `aqm` lets through and how long it waited. What is dropped on
    /// the way goes to `out`. `shared` is what waits in all the lanes that share the link, this one
    /// included; it is brought up to date.
    ///
    /// This is the one drop loop of all disciplines. Every round takes one packet out of the lane
    /// for good, so a call costs at most as many rounds as packets wait, and a packet's life at
    /// most one.
    pub fn pop_under<A: Aqm>(
        &mut self,
        aqm: &mut A,
        state: &mut A::State,
        shared: &mut Backlog,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Option<(P, Span)> {
        while let Some((arrived, packet)) = self.pop() {
            let less = Backlog::of(&packet);
            *shared -= less;
            let departure = Departure {
                len: less.bytes,
                packets: less.packets,
                ecn_capable: packet.ecn().is_capable(),
                sojourn: now.since(arrived),
                backlog: self.backlog(),
                shared: *shared,
                now,
            };
            if let Some(packet) = departure.judge(packet, aqm, state, out) {
                return Some((packet, departure.sojourn));
            }
        }
        aqm.on_empty(state, now);
        None
    }

    /// The bytes of the oldest packets that together reach `credit`, the last of them whole; all
    /// there are, if they do not. Looks at no more packets than that.
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

    /// What waits.
    pub const fn backlog(&self) -> Backlog {
        self.backlog
    }
}
