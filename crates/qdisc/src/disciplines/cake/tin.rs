//! A tin: the queues of a class of traffic, and whose turn it is (DRR++).
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_enqueue` and `cake_dequeue` of 6.18.

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use units::{Bytes, Rng, Span, Time};

use super::ack_filter::{AckFilter, Segment, needless};
use super::delays::Delays;
use super::flow_table::{FLOWS, FlowTable, Set};
use super::isolation::Isolation;
use super::rings::{List, Rings};
use super::shaper::TinClock;
use crate::aqm::{Aqm, Departure, Verdict};
use crate::disciplines::cobalt::{Cobalt, CobaltParameters, CobaltState};
use crate::{Backlog, Packet};

/// The smallest and the largest quantum of a flow; the largest also without a rate.
const QUANTA: (u64, u64) = (300, 1514);

/// The settings of a tin that follow from those of the whole queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct TinSettings {
    /// Bytes per second up to which the tin has priority; `None` without a limit.
    pub(super) threshold: Option<u64>,
    /// Bytes that the tin sends in its turn while the rate is unlimited.
    pub(super) weight: u64,
    /// The longest packet as the queue counts it.
    pub(super) mtu: Bytes,
    /// The sojourn that is acceptable, on a fast link.
    pub(super) target: Span,
    /// About the longest round trip.
    pub(super) interval: Span,
}

/// A packet that waits.
#[derive(Clone, Debug)]
pub(super) struct Waiting<P> {
    pub(super) packet: P,
    pub(super) arrived: Time,
    /// The bytes on the link.
    pub(super) charged: Bytes,
    /// The memory that Linux takes for the packet.
    pub(super) memory: Bytes,
}

/// The queue of a flow.
#[derive(Clone, Debug)]
struct Queue<P> {
    packets: VecDeque<Waiting<P>>,
    /// The segments in the packets, one for each, if a filter of acknowledgements reads them.
    segments: VecDeque<Option<Segment>>,
    /// Bytes that the flow may still send in its turn.
    deficit: i64,
    state: CobaltState,
}

/// The number of flows in each part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlowCounts {
    pub(super) sparse: u32,
    pub(super) bulk: u32,
    pub(super) decaying: u32,
    /// Flows from which BLUE drops.
    pub(super) unresponsive: u32,
}

/// What happened in a tin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    pub(super) packets: u64,
    pub(super) bytes: Bytes,
    pub(super) drops: u64,
    pub(super) marks: u64,
    pub(super) ack_drops: u64,
    pub(super) longest: Bytes,
}

/// A tin.
#[derive(Clone, Debug)]
pub(super) struct Tin<P> {
    pub(super) clock: TinClock,
    pub(super) backlog: Backlog,
    pub(super) counters: Counters,
    pub(super) flows: FlowCounts,
    pub(super) delays: Delays,
    pub(super) table: FlowTable,
    /// Bytes that the tin may still send in its turn while the rate is unlimited.
    pub(super) deficit: i64,
    settings: TinSettings,
    cobalt: Cobalt,
    rings: Rings,
    queues: Box<[Queue<P>]>,
    rng: Rng,
}

impl<P: Packet> Tin<P> {
    pub(super) fn new(settings: TinSettings, isolation: Isolation, rng: &Rng) -> Self {
        let queue = |_| Queue {
            packets: VecDeque::new(),
            segments: VecDeque::new(),
            deficit: 0,
            state: CobaltState::without_grace(),
        };
        let clock = TinClock::new(settings.threshold);
        Self {
            cobalt: Cobalt::new(parameters(&settings, &clock), rng.fork("cobalt")),
            clock,
            settings,
            backlog: Backlog::default(),
            counters: Counters::default(),
            flows: FlowCounts::default(),
            delays: Delays::default(),
            table: FlowTable::new(isolation),
            deficit: 0,
            rings: Rings::new(),
            queues: (0..FLOWS).map(queue).collect(),
            rng: rng.fork("turns"),
        }
    }

    /// Changes the settings, and nothing else.
    pub(super) fn change(&mut self, settings: TinSettings) {
        self.clock.change(settings.threshold);
        self.cobalt.set_parameters(parameters(&settings, &self.clock));
        self.settings = settings;
    }

    /// The bytes that a flow may send in its turn if it shares its hosts with no other.
    pub(super) fn quantum(&self) -> u64 {
        let (least, most) = QUANTA;
        self.settings.threshold.map_or(most, |rate| (rate >> 12).clamp(least, most))
    }

    /// Bytes that the tin sends in its turn while the rate is unlimited.
    pub(super) const fn weight(&self) -> i64 {
        self.settings.weight as i64
    }

    /// The parameters of the controller.
    pub(super) const fn cobalt(&self) -> &CobaltParameters {
        self.cobalt.parameters()
    }

    /// True if a flow has packets, or had some a moment ago.
    pub(super) const fn is_active(&self) -> bool {
        self.flows.sparse + self.flows.bulk > 0
    }

    /// Appends a packet to the queue of a flow.
    pub(super) fn push(&mut self, flow: usize, waiting: Waiting<P>) {
        let more = Backlog::of(&waiting.packet);
        self.backlog += more;
        self.counters.packets += more.packets;
        self.counters.bytes += more.bytes;
        self.counters.longest = self.counters.longest.max(more.bytes);
        self.queues[flow].packets.push_back(waiting);
    }

    /// Removes a packet that the newest packet of its flow makes needless, whose segment is this;
    /// `None` if there is none.
    pub(super) fn filter(
        &mut self,
        flow: usize,
        newest: Option<Segment>,
        filter: AckFilter,
    ) -> Option<Waiting<P>> {
        let Queue { packets, segments, .. } = &mut self.queues[flow];
        // Packets that came before the filter was on.
        while segments.len() + 1 < packets.len() {
            segments.push_front(None);
        }
        segments.push_back(newest);
        let place = needless(filter, segments.iter())?;
        segments.remove(place);
        let needless = packets.remove(place)?;
        self.backlog -= Backlog::of(&needless.packet);
        self.counters.ack_drops += needless.packet.packets();
        Some(needless)
    }

    /// Forgets the segments in all packets, when the filter of acknowledgements is turned off.
    pub(super) fn forget_segments(&mut self) {
        self.queues.iter_mut().for_each(|queue| queue.segments.clear());
    }

    /// Removes the oldest packet of a flow; `None` if the flow has none.
    pub(super) fn pop(&mut self, flow: usize) -> Option<Waiting<P>> {
        let queue = &mut self.queues[flow];
        let oldest = queue.packets.pop_front()?;
        queue.segments.pop_front();
        self.backlog -= Backlog::of(&oldest.packet);
        Some(oldest)
    }

    /// Puts a flow that got a packet into its place in the turns.
    pub(super) fn join(&mut self, flow: usize) {
        match self.table.set(flow) {
            Set::None | Set::Decaying => {
                self.change_set(flow, Set::Sparse);
                self.rings.move_to_end(flow, List::New);
                self.queues[flow].deficit = self.next_quantum(flow);
            }
            // The flow is in the rotation of the bulk flows already.
            Set::SparseWait => self.change_set(flow, Set::Bulk),
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// The flow whose turn it is; `None` if no flow is on a list. A flow whose deficit is used up
    /// gets a quantum and goes to the end. `decaying_first` asks for a flow that comes to rest, if
    /// there is one, and is cleared.
    pub(super) fn next_turn(&mut self, decaying_first: &mut bool) -> Option<usize> {
        loop {
            let first = |list| self.rings.first(list);
            let decaying = first(List::Decaying);
            let flow = core::mem::take(decaying_first)
                .then_some(decaying)
                .flatten()
                .or_else(|| first(List::New))
                .or_else(|| first(List::Old))
                .or(decaying)?;
            if self.queues[flow].deficit > 0 {
                return Some(flow);
            }
            if self.table.set(flow) == Set::Sparse {
                let has_packets = !self.queues[flow].packets.is_empty();
                self.change_set(flow, if has_packets { Set::Bulk } else { Set::SparseWait });
            }
            self.queues[flow].deficit += self.next_quantum(flow);
            self.rings.move_to_end(flow, List::Old);
        }
    }

    /// Asks the controller about a packet that was taken from a flow's queue. `bulk_flows` are those
    /// whose longest packets may wait besides.
    pub(super) fn judge(
        &mut self,
        flow: usize,
        waiting: &Waiting<P>,
        bulk_flows: u32,
        now: Time,
    ) -> Verdict {
        let queue = &mut self.queues[flow];
        let left = Backlog { packets: queue.packets.len() as u64, bytes: Bytes::ZERO };
        let departure =
            Departure { backlog: left, ..Departure::of(&waiting.packet, waiting.arrived, now) };
        self.cobalt.allow_for(bulk_flows);
        self.cobalt.on_dequeue(&mut queue.state, &departure)
    }

    /// Takes bytes off what the flow and the tin may send in their turns.
    pub(super) fn charge(&mut self, flow: usize, bytes: Bytes) {
        self.queues[flow].deficit -= bytes.0 as i64;
        self.deficit -= bytes.0 as i64;
    }

    /// Handles a flow that had no packet when its turn came: it leaves the lists once its controller
    /// is at rest.
    pub(super) fn retire(&mut self, flow: usize, now: Time) {
        let Queue { state, .. } = &mut self.queues[flow];
        let was_unresponsive = state.is_unresponsive();
        self.cobalt.on_empty(state, now);
        self.flows.unresponsive -= u32::from(was_unresponsive && !state.is_unresponsive());
        if state.is_at_rest(now) {
            self.rings.remove(flow);
            self.change_set(flow, Set::None);
        } else {
            self.rings.move_to_end(flow, List::Decaying);
            self.change_set(flow, Set::Decaying);
        }
    }

    /// Tells the controller of a flow that a packet was dropped since memory ran out.
    pub(super) fn overflow(&mut self, flow: usize, now: Time) {
        let Queue { state, .. } = &mut self.queues[flow];
        let was_unresponsive = state.is_unresponsive();
        self.cobalt.on_overflow(state, 1, now);
        self.flows.unresponsive += u32::from(!was_unresponsive && state.is_unresponsive());
    }

    /// The packets that are sent before one of a new flow in this tin: of each flow on the list of
    /// new ones, those of its turn.
    pub(super) fn ahead_of_new_flow(&self) -> impl Iterator<Item = &Waiting<P>> {
        self.rings.iter(List::New).flat_map(|flow| {
            let Queue { packets, deficit, .. } = &self.queues[flow];
            packets.iter().scan(*deficit, |left, waiting| {
                let goes = *left > 0;
                *left -= waiting.charged.0 as i64;
                goes.then_some(waiting)
            })
        })
    }

    fn change_set(&mut self, flow: usize, set: Set) {
        let counts = &mut self.flows;
        let mut count = |set: Set, change: i32| {
            let count = match set {
                Set::None => return,
                Set::Sparse | Set::SparseWait => &mut counts.sparse,
                Set::Bulk => &mut counts.bulk,
                Set::Decaying => &mut counts.decaying,
            };
            *count = count.wrapping_add_signed(change);
        };
        count(self.table.set(flow), -1);
        count(set, 1);
        self.table.change_set(flow, set);
    }

    /// The bytes that this flow may send in its next turn: a part of the quantum, since the flows of
    /// a host share one. The fraction is rounded at random, so that shares are exact in the mean.
    fn next_quantum(&mut self, flow: usize) -> i64 {
        let part = 65_535 / u64::from(self.table.host_load(flow));
        let dither = self.rng.next_u64() >> 48;
        ((self.quantum() * part + dither) >> 16) as i64
    }
}

/// The parameters of a tin's controller (`cake_set_rate`): on a slow link a full packet and a half
/// must fit into the target.
fn parameters(settings: &TinSettings, clock: &TinClock) -> CobaltParameters {
    let TinSettings { mtu, target: least, interval, .. } = *settings;
    let mtu_time = clock.time_of(mtu);
    let target = least.max(Span::from_nanos(mtu_time.as_nanos() * 3 / 2));
    let interval = (interval + target.saturating_sub(least)).max(target * 2);
    CobaltParameters { target, interval, mtu_time, ecn: true }
}
