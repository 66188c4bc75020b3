//! Runs a world in [windows](crate::window).

use qdisc::Backlog;
use units::Time;

use super::World;
use crate::agenda::Agenda;
use crate::hops::Hop;
use crate::window::{Block, Window};

/// The fewest blocks of flows with windows. With 2,000 flows windows cost more than they gain, with 4,000 less
/// (`bench`, many flows). Tests have few flows.
const FEWEST_BLOCKS: usize = if cfg!(test) { 1 } else { 12 };
/// The most chains with windows: for each packet, the next one is searched among the wires at their ends.
const MOST_CHAINS: usize = 8;

/// The windows of a world in which each path is one chain of links.
#[derive(Debug)]
pub(super) struct Windows {
    /// The chains that packets enter.
    chains: Vec<usize>,
    window: Window,
    /// The end of the latest window: before this time, all flows have acted.
    end: Time,
    /// The time of the latest event at a flow.
    latest: Time,
}

impl Windows {
    /// The windows of a world whose flows have acted up to now; `None` if there are too few flows or too many
    /// chains, or if some packets cross several chains or arrive without a delay.
    pub(super) fn of(world: &World) -> Option<Self> {
        let blocks = Agenda::blocks_of_many(world.flows.len());
        if blocks < FEWEST_BLOCKS {
            return None;
        }
        let chain_of = |hop: &Hop| match hop {
            Hop::Direction(id) => {
                let direction = &world.directions[id.index()];
                (!direction.departs_in_turn).then_some(direction.chain)
            }
            Hop::End(_) => None,
        };
        let mut chains = Vec::new();
        for path in world.hops.paths() {
            let [links @ .., _] = path else { return None };
            let chain = links.first().and_then(chain_of)?;
            if links.iter().any(|link| chain_of(link) != Some(chain)) {
                return None;
            }
            chains.push(chain);
        }
        chains.sort_unstable();
        chains.dedup();
        (chains.len() <= MOST_CHAINS).then(|| Self {
            chains,
            window: Window::new(blocks),
            end: world.now,
            latest: Time::ZERO,
        })
    }

    /// True if a flow has acted at this time or later, ahead of the clock.
    pub(super) fn has_passed(&self, now: Time) -> bool {
        self.latest >= now
    }
}

impl World {
    /// Runs windows until the next look, as [`happen`](World::happen) runs events.
    pub(super) fn happen_in(&mut self, windows: &mut Windows) -> bool {
        let look = self.ahead.look;
        while self.turns < self.pause_after {
            let entered = self.enter_sent(windows);
            let next = self.catch_up_with(windows, entered);
            if next >= look {
                windows.end = windows.end.max(look);
                self.now = look;
                self.settle();
                return true;
            }
            let end = self.known_until(windows);
            if next >= end {
                windows.end = next;
                continue;
            }
            let clock = self.now;
            self.begin_window(windows, end);
            self.let_act(windows);
            if self.standstill.is_endless() {
                break;
            }
            self.now = clock;
        }
        false
    }

    /// Lets the packets that the flows have sent enter the links. A link that is not in closed form takes them
    /// only up to the next look. Returns the time before which all packets have entered.
    fn enter_sent(&mut self, windows: &mut Windows) -> Time {
        let Windows { chains, window, end, .. } = windows;
        let takes_ahead = |chain: &usize| {
            let first = self.chains[*chain].first();
            self.directions[first.index()].wire.is_closed_form()
        };
        let limit = if chains.iter().all(takes_ahead) { *end } else { self.ahead.look.min(*end) };
        while let Some((time, block, sent)) = window.take_sent(limit) {
            self.now = time;
            for packet in &mut window.blocks[block].sent[sent] {
                let Some(first) = self.first_link(packet) else { continue };
                if self.directions[first.index()].wire.is_closed_form() {
                    self.enter(packet, first);
                } else {
                    self.offer(packet, first);
                }
            }
        }
        limit
    }

    /// Catches up with the chains, into which all packets from before `entered` have entered. Returns a time
    /// before which nothing happens at a flow.
    fn catch_up_with(&mut self, windows: &Windows, entered: Time) -> Time {
        self.now = entered.min(self.ahead.look);
        let (mut next, _) = self.agenda.next_of_many();
        for chain in &windows.chains {
            self.catch_up(*chain);
            let delivery = self.chains[*chain].earliest_delivery(&self.directions);
            next = delivery.map_or(next, |delivery| next.min(delivery));
        }
        if entered < windows.end { entered } else { next.max(entered) }
    }

    /// The time before which all arrivals are known, after a catch-up at the end of the latest window.
    fn known_until(&self, windows: &Windows) -> Time {
        let known = |chain: &usize| {
            self.chains[*chain].known_until(&self.directions, windows.end, self.ahead.look)
        };
        windows.chains.iter().map(known).fold(self.ahead.horizon, Time::min)
    }

    /// Begins a window with all arrivals before `end`.
    fn begin_window(&mut self, windows: &mut Windows, end: Time) {
        let wires = windows.chains.iter().map(|chain| self.chains[*chain].last());
        let block_of = |flow: u32| Agenda::block_of_many(flow as usize);
        windows.end = windows.window.begin(wires, &mut self.directions, block_of, end);
        for wire in &windows.window.wires {
            let Backlog { packets, bytes } = wire.amount;
            self.events += packets;
            self.turns += packets;
            self.instruments.delivered(wire.at, packets, bytes);
        }
    }

    /// Lets the flows act on their arrivals and timers in the window, one block after the other.
    fn let_act(&mut self, windows: &mut Windows) {
        let Windows { window, end, latest, .. } = windows;
        for (index, block) in window.blocks.iter_mut().enumerate() {
            self.let_block_act(block, index, *end);
            *latest = self.now.max(*latest);
        }
        window.end_turns();
    }

    /// Lets the flows of a block act before `end`, in the order of time.
    fn let_block_act(&mut self, block: &mut Block, index: usize, end: Time) {
        let arrivals = std::mem::take(&mut block.arrivals);
        let mut arriving = arrivals.iter().peekable();
        let mut turns_at_once = 0;
        while !self.standstill.is_endless() {
            let (timer, slot) = self.agenda.next_of_block(index);
            if let Some(arrival) = arriving.next_if(|arrival| arrival.time <= timer) {
                let packet = &arrival.packet;
                let Hop::End(at) = self.hops.at(packet.hop + 1) else { continue };
                self.now = arrival.time;
                self.receive(packet, at, |_, packet, _| block.sent.push(*packet));
                block.note_turn(index, self.now, Some(arrival.number));
            } else if timer < end {
                turns_at_once = if timer > self.now { 0 } else { turns_at_once + 1 };
                self.standstill.note_turns_at_once(turns_at_once);
                self.now = timer;
                self.turns += 1;
                let flow = slot - self.chains.len();
                self.wake(flow, |_, packet, _| block.sent.push(*packet));
                block.note_turn(index, self.now, None);
            } else {
                break;
            }
        }
        block.arrivals = arrivals;
    }
}
