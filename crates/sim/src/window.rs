//! Windows: many flows act ahead of the links, as far as the packets that arrive at them are known.
//!
//! A packet that is sent now arrives at the other end of its flow after the propagation delays between the
//! ends. So all packets that arrive within the shortest of these times, the *window*, are on their way when
//! the window begins (conservative synchronisation: D. M. Nicol, "The cost of conservative synchronization in
//! parallel discrete event simulations", Journal of the ACM 40, 1993). First the flows act on all of them and
//! on their timers, then the packets that the flows have sent enter the links.
//!
//! Within a window no flow affects another one. So the flows act in [blocks](Block), one after the other: the
//! memory of a block stays in the second-level cache, which that of all flows does not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use qdisc::Backlog;
use units::{DirectionId, Span, Time};

use crate::direction::Direction;
use crate::packet::SimPacket;

/// The most packets that arrive in a window, with those of the same instant as the last. Fewer in tests.
const MOST_ARRIVALS: u32 = if cfg!(test) { 200 } else { 1 << 16 };

/// The packets that arrive at the flows in a window, and those that the flows send.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) wires: Vec<Arriving>,
    pub(crate) blocks: Vec<Block>,
    /// The next turn of each block whose packets have not all been taken.
    next: BinaryHeap<Reverse<Turn>>,
}

/// A wire over which packets arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    pub(crate) at: DirectionId,
    /// The time of the next packet; [`Time::MAX`] after the last.
    next: Time,
    /// The packets so far, with the bytes that the wire adds.
    pub(crate) amount: Backlog,
}

/// Some flows whose indices are in a row.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The packets that arrive at these flows, in the order of time.
    pub(crate) arrivals: Vec<Arrival>,
    /// The packets that these flows send, turn by turn.
    pub(crate) sent: Vec<SimPacket>,
    /// The turns in which these flows send packets, in their order.
    turns: Vec<Turn>,
    /// The number of turns whose packets have been taken.
    taken: usize,
}

/// A packet that arrives at a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) time: Time,
    /// The number of earlier arrivals in the window.
    pub(crate) number: u32,
    pub(crate) packet: SimPacket,
}

/// The packets that a flow sends at one time.
///
/// The order of turns is that of the fields: at one instant packets arrive before timers run out, and
/// timers run out in the order of the flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    time: Time,
    /// The number of the arrival; [`u32::MAX`] if a timer has run out.
    arrival: u32,
    block: u32,
    /// The number of packets that the block has sent by the end of the turn.
    sent: u32,
}

impl Window {
    /// A window of so many blocks, in which nothing happens.
    pub(crate) fn new(blocks: usize) -> Self {
        let blocks = std::iter::repeat_with(Block::default).take(blocks).collect();
        Self { wires: Vec::new(), blocks, next: BinaryHeap::new() }
    }

    /// Begins the window with the packets that arrive over these wires before `end`. The packets of one instant
    /// arrive in the order of the wires. Returns the end of the window, which is earlier than `end` if very
    /// many packets arrive.
    pub(crate) fn begin(
        &mut self,
        wires: impl Iterator<Item = DirectionId>,
        directions: &mut [Direction],
        block_of: impl Fn(u32) -> usize,
        end: Time,
    ) -> Time {
        self.blocks.iter_mut().for_each(Block::clear);
        self.wires.clear();
        for at in wires {
            if let Some(next) = directions[at.index()].wire.next_delivery() {
                self.wires.push(Arriving { at, next, amount: Backlog::default() });
            }
        }
        let (mut number, mut end) = (0, end);
        while let Some(arriving) = earliest(&mut self.wires, end) {
            let wire = &mut directions[arriving.at.index()].wire;
            let Some((time, packet)) = wire.take_timed_delivery(arriving.next) else { break };
            arriving.amount += Backlog::of(&packet);
            arriving.next = wire.next_delivery().unwrap_or(Time::MAX);
            self.blocks[block_of(packet.flow)].arrivals.push(Arrival { time, number, packet });
            number += 1;
            if number == MOST_ARRIVALS {
                end = end.min(time + Span::from_nanos(1));
            }
        }
        end
    }

    /// Ends the turns of all blocks: from now on, the packets that they have sent can be taken.
    pub(crate) fn end_turns(&mut self) {
        self.next.clear();
        self.next.extend(self.blocks.iter().filter_map(Block::next_turn).map(Reverse));
    }

    /// The next packets that were sent before `until`, with their time, as a range of those sent by the block
    /// with this index; `None` if there are none.
    #[inline]
    pub(crate) fn take_sent(&mut self, until: Time) -> Option<(Time, usize, Range<usize>)> {
        let mut first = self.next.peek_mut()?;
        let Turn { time, block, .. } = first.0;
        if time >= until {
            return None;
        }
        let block = block as usize;
        let sent = self.blocks[block].take_turn();
        match self.blocks[block].next_turn() {
            Some(turn) => first.0 = turn,
            None => drop(PeekMut::pop(first)),
        }
        Some((time, block, sent))
    }
}

impl Block {
    fn clear(&mut self) {
        self.arrivals.clear();
        self.sent.clear();
        self.turns.clear();
        self.taken = 0;
    }

    /// Notes that a flow of this block, which has this index, has had its turn: at an arrival, or because a timer
    /// has run out.
    #[inline]
    pub(crate) fn note_turn(&mut self, block: usize, time: Time, arrival: Option<u32>) {
        let sent = self.sent.len() as u32;
        if sent > self.turns.last().map_or(0, |turn| turn.sent) {
            let arrival = arrival.unwrap_or(u32::MAX);
            self.turns.push(Turn { time, arrival, block: block as u32, sent });
        }
    }

    fn next_turn(&self) -> Option<Turn> {
        self.turns.get(self.taken).copied()
    }

    /// The packets of the next turn, which is taken.
    fn take_turn(&mut self) -> Range<usize> {
        let sent = |turn: Option<&Turn>| turn.map_or(0, |turn| turn.sent as usize);
        let before = self.taken.checked_sub(1).and_then(|last| self.turns.get(last));
        let packets = sent(before)..sent(self.turns.get(self.taken));
        self.taken += 1;
        packets
    }
}

/// The wire with the earliest packet before `end`, the first of several; `None` if there is none.
#[inline]
fn earliest(wires: &mut [Arriving], end: Time) -> Option<&mut Arriving> {
    let (mut earliest, mut found) = (end, None);
    for wire in wires {
        if wire.next < earliest {
            earliest = wire.next;
            found = Some(wire);
        }
    }
    found
}
