//! A tin: the queues of a class of traffic.
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_enqueue` and `cake_dequeue` of 6.18.

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use units::{Bytes, Rng, Span, Time};

use super::ack_filter::{AckFilter, Segment, needless};
use super::delays::Delays;
use super::flow_table::{FLOWS, FlowTable, Set};
use super::isolation::Isolation;
use super::rings::List;
use super::shaper::TinClock;
use super::turns::{Shares, Turns};
use crate::aqm::{Aqm, Departure, Verdict};
use crate::disciplines::cobalt::{Cobalt, CobaltParameters, CobaltState};
use crate::lane::append;
use crate::{Backlog, Packet};

/// The number of taken queues from which a new flow more likely than not shares one, because all
/// eight ways of its set are taken. The flows of a set have a Poisson distribution. With a mean of
/// 7.67 flows half of all sets have eight or more, and 6.73 of the eight ways are taken in the mean,
/// which are 861 of 1024.
const CROWDED: u32 = 861;

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
}

/// The bytes of packets, together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketBytes {
    /// The bytes as the queue counts them.
    pub(super) bytes: Bytes,
    /// The bytes on the link, as the shaper charges them.
    pub(super) charged: Bytes,
}

/// The queue of a flow.
#[derive(Clone, Debug)]
struct Queue<P> {
    packets: VecDeque<Waiting<P>>,
    state: CobaltState,
}

/// The numbers of flows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlowCounts {
    /// Flows that go first, and those that were sparse and wait in the rotation.
    pub(super) sparse: u32,
    /// Flows that take turns.
    pub(super) bulk: u32,
    /// Flows without packets whose controller comes to rest.
    pub(super) decaying: u32,
    /// Flows from which BLUE drops.
    pub(super) unresponsive: u32,
}

/// Counters of a tin, from the beginning on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// Packets that came.
    pub(super) packets: u64,
    /// Bytes that came.
    pub(super) bytes: Bytes,
    /// Packets that were dropped, but for acknowledgements that were filtered.
    pub(super) drops: u64,
    /// Packets that were marked.
    pub(super) marks: u64,
    /// Acknowledgements that were filtered.
    pub(super) ack_drops: u64,
    /// The longest packet, zero before the first.
    pub(super) longest: Bytes,
}

/// A tin.
#[derive(Clone, Debug)]
pub(super) struct Tin<P> {
    pub(super) clock: TinClock,
    pub(super) backlog: Backlog,
    /// The bytes on the link of the packets that wait.
    charged: Bytes,
    pub(super) counters: Counters,
    pub(super) flows: FlowCounts,
    pub(super) delays: Delays,
    pub(super) table: FlowTable,
    /// Bytes that the tin may still send in its turn while the rate is unlimited.
    pub(super) deficit: i64,
    settings: TinSettings,
    cobalt: Cobalt,
    turns: Turns,
    queues: Box<[Queue<P>]>,
    /// The segments in the packets of each queue, one for each; no queue's while no filter of
    /// acknowledgements reads them.
    segments: Box<[VecDeque<Option<Segment>>]>,
}

impl<P: Packet> Tin<P> {
    pub(super) fn new(settings: TinSettings, isolation: Isolation, rng: &Rng) -> Self {
        let queue = |_| Queue { packets: VecDeque::new(), state: CobaltState::without_grace() };
        let clock = TinClock::new(settings.threshold);
        Self {
            cobalt: Cobalt::new(parameters(&settings, &clock), rng.fork("cobalt")),
            clock,
            settings,
            backlog: Backlog::default(),
            charged: Bytes::ZERO,
            counters: Counters::default(),
            flows: FlowCounts::default(),
            delays: Delays::default(),
            table: FlowTable::new(isolation),
            deficit: 0,
            turns: Turns::new(rng.fork("turns")),
            queues: (0..FLOWS).map(queue).collect(),
            segments: Box::default(),
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
        self.charged += waiting.charged;
        self.counters.packets += more.packets;
        self.counters.bytes += more.bytes;
        self.counters.longest = self.counters.longest.max(more.bytes);
        append(&mut self.queues[flow].packets, waiting);
    }

    /// Removes a packet that the newest packet of its flow makes needless, whose segment is this;
    /// `None` if there is none.
    pub(super) fn filter(
        &mut self,
        flow: usize,
        newest: Option<Segment>,
        filter: AckFilter,
    ) -> Option<Waiting<P>> {
        if self.segments.is_empty() {
            self.segments = (0..FLOWS).map(|_| VecDeque::new()).collect();
        }
        let (packets, segments) = (&mut self.queues[flow].packets, &mut self.segments[flow]);
        // Packets that came before the filter was on.
        while segments.len() + 1 < packets.len() {
            segments.push_front(None);
        }
        append(segments, newest);
        let place = needless(filter, segments.iter())?;
        segments.remove(place);
        let needless = packets.remove(place)?;
        self.backlog -= Backlog::of(&needless.packet);
        self.charged -= needless.charged;
        self.counters.ack_drops += needless.packet.packets();
        Some(needless)
    }

    /// Forgets the segments in all packets, when the filter of acknowledgements is turned off.
    pub(super) fn forget_segments(&mut self) {
        self.segments = Box::default();
    }

    /// Removes the oldest packet of a flow; `None` if the flow has none.
    pub(super) fn pop(&mut self, flow: usize) -> Option<Waiting<P>> {
        let oldest = self.queues[flow].packets.pop_front()?;
        if let Some(segments) = self.segments.get_mut(flow) {
            segments.pop_front();
        }
        self.backlog -= Backlog::of(&oldest.packet);
        self.charged -= oldest.charged;
        Some(oldest)
    }

    /// Puts a flow that got a packet into its place in the turns.
    pub(super) fn join(&mut self, flow: usize) {
        match self.table.set(flow) {
            Set::None | Set::Decaying => {
                self.change_set(flow, Set::Sparse);
                let shares = Shares { quantum: self.quantum(), loads: self.table.loads() };
                self.turns.begin(flow, shares);
            }
            // The flow is in the rotation of the bulk flows already.
            Set::SparseWait => self.change_set(flow, Set::Bulk),
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// The flow whose turn it is; `None` if no flow is on a list. A flow whose deficit is used up
    /// gets its share of the quantum and goes to the end. `decaying_first` asks for a flow that comes
    /// to rest, if there is one, and is cleared.
    pub(super) fn next_turn(&mut self, decaying_first: &mut bool) -> Option<usize> {
        loop {
            let decaying = self.turns.first(List::Decaying);
            let first = decaying.filter(|_| core::mem::take(decaying_first));
            *decaying_first = false;
            let quantum = self.quantum();
            let Some(flow) = first.or_else(|| self.turns.first(List::New)) else {
                let shares = Shares { quantum, loads: self.table.loads() };
                return self.turns.next_old(shares).or(decaying);
            };
            if self.turns.deficit(flow) > 0 {
                return Some(flow);
            }
            if self.table.set(flow) == Set::Sparse {
                let has_packets = !self.queues[flow].packets.is_empty();
                self.change_set(flow, if has_packets { Set::Bulk } else { Set::SparseWait });
            }
            self.turns.end(flow, Shares { quantum, loads: self.table.loads() });
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
        self.turns.charge(flow, bytes);
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
            self.turns.leave(flow);
            self.change_set(flow, Set::None);
        } else {
            self.turns.decay(flow);
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

    /// The bytes that are sent before a packet of a new flow in this tin: of each flow on the list of
    /// new ones, those of its turn. Where hosts have queues, the new flow is that of a new host.
    ///
    /// All, if the new flow shares a queue: if all flows do, or if so many queues are taken that those
    /// of its set most likely are, too. The queues take turns, so that about all of them send before
    /// the end of one of them is reached.
    pub(super) fn ahead_of_new_flow(&self) -> PacketBytes {
        let FlowCounts { sparse, bulk, decaying, .. } = self.flows;
        let is_crowded = sparse + bulk + decaying >= CROWDED;
        if self.table.isolation == Isolation::FlowBlind || is_crowded {
            return PacketBytes { bytes: self.backlog.bytes, charged: self.charged };
        }
        let mut ahead = PacketBytes::default();
        for flow in self.turns.iter(List::New) {
            let mut left = self.turns.deficit(flow);
            for waiting in &self.queues[flow].packets {
                if left <= 0 {
                    break;
                }
                left -= waiting.charged.0 as i64;
                ahead.bytes += waiting.packet.len();
                ahead.charged += waiting.charged;
            }
        }
        ahead
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
