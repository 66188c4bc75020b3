//! The statistics of `cake`: those that `tc -s qdisc show` prints (iproute2, tc/q_cake.c).

use alloc::vec::Vec;

use units::{Bytes, Span};

use super::Cake;
use super::framing::SizesSeen;
use crate::Headers;
use crate::stats::{DisciplineStats, Tally};

/// The statistics of CAKE.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CakeStats {
    /// The rate at which packets are sent, in bytes per second; with `autorate-ingress` not the one
    /// that was set. `None` without a limit.
    pub rate: Option<u64>,
    /// The number of times that packets had to wait for the shaper.
    pub overlimits: u64,
    /// The most memory that packets took.
    pub memory_used: Bytes,
    /// The most memory that packets may take.
    pub memory_limit: Bytes,
    /// The estimated rate at which packets come, in bytes per second: the rate that was set at the
    /// beginning, 0 if there was none, until `autorate-ingress` estimates another.
    pub capacity_estimate: u64,
    /// The shortest and the longest packet.
    pub sizes: SizesSeen,
    /// The mean length of the headers before the IP packet.
    pub avg_hdr_offset: Bytes,
    /// The tins, from the lowest priority to the highest.
    pub tins: Vec<TinStats>,
}

/// The statistics of a tin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TinStats {
    /// The rate up to which the tin has priority, in bytes per second; 0 without a limit.
    pub threshold_rate: u64,
    /// Bytes that came.
    pub sent_bytes: Bytes,
    /// Bytes that wait.
    pub backlog_bytes: Bytes,
    /// The acceptable sojourn.
    pub target: Span,
    /// About the longest round trip.
    pub interval: Span,
    /// The moving average of sojourns that follows upwards fast.
    pub peak_delay: Span,
    /// The moving average of sojourns.
    pub avg_delay: Span,
    /// The moving average of sojourns that follows downwards fast.
    pub base_delay: Span,
    /// Packets that came.
    pub sent_packets: u64,
    /// Packets whose flow has a queue beside the one that its hash names.
    pub way_indirect_hits: u32,
    /// Packets whose flow had no queue and got an idle one.
    pub way_misses: u32,
    /// Packets whose flow had no queue and shares one.
    pub way_collisions: u32,
    /// Packets that the controller dropped, or that were dropped since memory ran out.
    pub drops: u64,
    /// Packets that were marked.
    pub ecn_mark: u64,
    /// Acknowledgements that were filtered.
    pub ack_drops: u64,
    /// Flows with few packets, and those without whose controller comes to rest.
    pub sparse_flows: u32,
    /// Flows that take turns.
    pub bulk_flows: u32,
    /// Flows from which BLUE drops.
    pub unresponsive_flows: u32,
    /// The longest packet.
    pub max_pkt_len: Bytes,
    /// Bytes that a flow may send in its turn.
    pub flow_quantum: u64,
}

impl DisciplineStats for CakeStats {
    fn overlimits(&self, _tally: &Tally) -> u64 {
        self.overlimits
    }
}

impl CakeStats {
    /// The statistics of this queue.
    pub(super) fn of<P: Headers>(queue: &Cake<P>) -> Self {
        let tin_stats = |place: usize| {
            let tin = &queue.tins[queue.spec.diffserv.tin_in_order(place)];
            let (parameters, lookups) = (tin.cobalt(), tin.table.lookups);
            TinStats {
                threshold_rate: tin.clock.threshold().unwrap_or(0),
                sent_bytes: tin.counters.bytes,
                backlog_bytes: tin.backlog.bytes,
                target: parameters.target,
                interval: parameters.interval,
                peak_delay: tin.delays.peak(),
                avg_delay: tin.delays.average(),
                base_delay: tin.delays.base(),
                sent_packets: tin.counters.packets,
                way_indirect_hits: lookups.indirect_hits,
                way_misses: lookups.misses,
                way_collisions: lookups.collisions,
                drops: tin.counters.drops,
                ecn_mark: tin.counters.marks,
                ack_drops: tin.counters.ack_drops,
                sparse_flows: tin.flows.sparse + tin.flows.decaying,
                bulk_flows: tin.flows.bulk,
                unresponsive_flows: tin.flows.unresponsive,
                max_pkt_len: tin.counters.longest,
                flow_quantum: tin.quantum(),
            }
        };
        Self {
            rate: queue.rate,
            overlimits: queue.overlimits,
            memory_used: queue.memory.most_used,
            memory_limit: queue.memory.limit,
            capacity_estimate: queue.capacity.bytes_per_sec(),
            sizes: queue.framer.seen,
            avg_hdr_offset: queue.framer.mean_offset(),
            tins: (0..queue.tins.len()).map(tin_stats).collect(),
        }
    }
}
