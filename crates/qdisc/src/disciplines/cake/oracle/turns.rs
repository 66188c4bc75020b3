//! The turns of a tin's flows, DRR++: what `cake_enqueue` and `cake_dequeue` do with their lists.
//! The controller is that of `cobalt.rs`, which has an oracle of its own.

use alloc::vec;
use alloc::vec::Vec;

use units::{Bytes, Rng, Time};

use super::super::flow_table::{FLOWS, Set};
use super::super::isolation::Isolation;
use super::hashing::Table;
use super::parcel::Parcel;
use crate::Backlog;
use crate::aqm::{Aqm, Departure, Verdict};
use crate::disciplines::cobalt::{Cobalt, CobaltParameters, CobaltState};

const NEW: usize = 0;
const OLD: usize = 1;
const DECAYING: usize = 2;

/// A tin (`struct cake_tin_data`).
pub(super) struct Tin {
    pub(super) table: Table,
    /// The lists of new, old and decaying flows.
    lists: [Vec<usize>; 3],
    pub(super) flows: Vec<Queue>,
    pub(super) cobalt: Cobalt,
    rng: Rng,
    /// Bytes per second; 0 without a limit.
    pub(super) rate: u64,
    pub(super) next_packet: u64,
    pub(super) deficit: i64,
    pub(super) weight: i64,
    pub(super) drops: u64,
    pub(super) marks: u64,
    pub(super) ack_drops: u64,
}

/// The queue of a flow (`struct cake_flow`).
pub(super) struct Queue {
    pub(super) queue: Vec<(Parcel, Time)>,
    pub(super) deficit: i64,
    pub(super) state: CobaltState,
}

impl Queue {
    pub(super) fn bytes(&self) -> u64 {
        self.queue.iter().map(|(packet, _)| u64::from(packet.len)).sum()
    }
}

impl Tin {
    /// A tin without packets. All its randomness comes from `rng`.
    pub(super) fn new(isolation: Isolation, rng: &Rng) -> Self {
        let flow = |_| Queue { queue: vec![], deficit: 0, state: CobaltState::without_grace() };
        Self {
            table: Table::new(isolation),
            lists: [vec![], vec![], vec![]],
            flows: (0..FLOWS).map(flow).collect(),
            cobalt: Cobalt::new(CobaltParameters::default(), rng.fork("cobalt")),
            rng: rng.fork("turns"),
            rate: 0,
            next_packet: 0,
            deficit: 0,
            weight: 0,
            drops: 0,
            marks: 0,
            ack_drops: 0,
        }
    }

    pub(super) fn packets(&self) -> usize {
        self.flows.iter().map(|flow| flow.queue.len()).sum()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.flows.iter().map(Queue::bytes).sum()
    }

    /// The number of flows that have one of these parts.
    pub(super) fn count(&self, sets: &[Set]) -> u32 {
        self.table.sets.iter().filter(|set| sets.contains(set)).count() as u32
    }

    pub(super) fn unresponsive(&self) -> u32 {
        self.flows.iter().filter(|flow| flow.state.is_unresponsive()).count() as u32
    }

    pub(super) fn is_active(&self) -> bool {
        self.count(&[Set::Sparse, Set::SparseWait, Set::Bulk]) > 0
    }

    /// The flow at the head of the list that is served.
    pub(super) fn first(&self, first_flow: bool) -> Option<usize> {
        let order: &[usize] =
            if first_flow { &[DECAYING, NEW, OLD] } else { &[NEW, OLD, DECAYING] };
        order.iter().find_map(|list| self.lists[*list].first().copied())
    }

    fn move_to(&mut self, flow: usize, list: usize) {
        self.leave(flow);
        self.lists[list].push(flow);
    }

    fn leave(&mut self, flow: usize) {
        self.lists.iter_mut().for_each(|list| list.retain(|other| *other != flow));
    }

    /// `cake_get_flow_quantum`.
    fn next_quantum(&mut self, flow: usize) -> i64 {
        let whole = if self.rate == 0 { 1514 } else { (self.rate >> 12).clamp(300, 1514) };
        let part = 65535 / u64::from(self.table.host_load(flow));
        let dither = self.rng.next_u64() >> 48;
        ((whole * part + dither) >> 16) as i64
    }

    /// The part of `cake_enqueue` headed "flowchain".
    pub(super) fn join(&mut self, flow: usize) {
        match self.table.sets[flow] {
            Set::None | Set::Decaying => {
                self.table.change_set(flow, Set::Sparse);
                self.move_to(flow, NEW);
                self.flows[flow].deficit = self.next_quantum(flow);
            }
            Set::SparseWait => self.table.change_set(flow, Set::Bulk),
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// The part of `cake_dequeue` headed "flow isolation (DRR++)".
    pub(super) fn end_turn(&mut self, flow: usize) {
        if self.table.sets[flow] == Set::Sparse {
            let is_empty = self.flows[flow].queue.is_empty();
            self.table.change_set(flow, if is_empty { Set::SparseWait } else { Set::Bulk });
        }
        self.flows[flow].deficit += self.next_quantum(flow);
        self.move_to(flow, OLD);
    }

    /// What `cake_dequeue` does with a flow without packets.
    pub(super) fn come_to_rest(&mut self, flow: usize, now: Time) {
        let Queue { state, .. } = &mut self.flows[flow];
        self.cobalt.on_empty(state, now);
        if state.is_at_rest(now) {
            self.leave(flow);
            self.table.change_set(flow, Set::None);
        } else {
            self.move_to(flow, DECAYING);
            self.table.change_set(flow, Set::Decaying);
        }
    }

    pub(super) fn judge(
        &mut self,
        flow: usize,
        packet: &Parcel,
        arrived: Time,
        guarded: u32,
        now: Time,
    ) -> Verdict {
        let Queue { queue, state, .. } = &mut self.flows[flow];
        let backlog = Backlog { packets: queue.len() as u64, bytes: Bytes::ZERO };
        self.cobalt.allow_for(guarded);
        self.cobalt.on_dequeue(state, &Departure { backlog, ..Departure::of(packet, arrived, now) })
    }
}
