//! The statistics of `cake`, as `tc -s qdisc show` prints them (iproute2, tc/q_cake.c).

use alloc::vec::Vec;
use core::fmt;

use units::{Bytes, Span};

use super::Cake;
use super::diffserv::Diffserv;
use super::framing::SizesSeen;
use crate::stats::{DisciplineStats, Tally};
use crate::{Backlog, Headers};

/// The statistics of CAKE.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CakeStats {
    /// The number of times that packets had to wait for the shaper.
    pub overlimits: u64,
    /// The most memory that packets took.
    pub memory_used: Bytes,
    /// The most memory that packets may take.
    pub memory_limit: Bytes,
    /// The estimated rate at which packets come, in bytes per second; without `autorate-ingress`
    /// the rate that was set, and 0 if there is none.
    pub capacity_estimate: u64,
    /// The shortest and the longest packet.
    pub sizes: SizesSeen,
    /// The mean length of the headers before the IP packet.
    pub avg_hdr_offset: Bytes,
    /// The division of packets into tins.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub diffserv: Diffserv,
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
    /// Flows with few packets.
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

    fn write(&self, _tally: &Tally, _backlog: Backlog, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SizesSeen { min_network, max_network, min_adjusted, max_adjusted } = self.sizes;
        let (used, limit) = (Size(self.memory_used), Size(self.memory_limit));
        write!(f, "\n memory used: {used} of {limit}")?;
        write!(f, "\n capacity estimate: {}", BytesPerSec(self.capacity_estimate))?;
        write!(f, "\n min/max network layer size: {min_network:12} /{max_network:8}")?;
        write!(f, "\n min/max overhead-adjusted size: {min_adjusted:8} /{max_adjusted:8}")?;
        write!(f, "\n average network hdr offset: {:12}\n", self.avg_hdr_offset.0)?;
        self.write_headings(f)?;
        self.row(f, "thresh  ", |tin| BytesPerSec(tin.threshold_rate))?;
        self.row(f, "target  ", |tin| Delay(tin.target))?;
        self.row(f, "interval", |tin| Delay(tin.interval))?;
        self.row(f, "pk_delay", |tin| Delay(tin.peak_delay))?;
        self.row(f, "av_delay", |tin| Delay(tin.avg_delay))?;
        self.row(f, "sp_delay", |tin| Delay(tin.base_delay))?;
        self.row(f, "backlog ", |tin| Size(tin.backlog_bytes))?;
        self.row(f, "pkts    ", |tin| tin.sent_packets)?;
        self.row(f, "bytes   ", |tin| tin.sent_bytes.0)?;
        self.row(f, "way_inds", |tin| tin.way_indirect_hits)?;
        self.row(f, "way_miss", |tin| tin.way_misses)?;
        self.row(f, "way_cols", |tin| tin.way_collisions)?;
        self.row(f, "drops   ", |tin| tin.drops)?;
        self.row(f, "marks   ", |tin| tin.ecn_mark)?;
        self.row(f, "ack_drop", |tin| tin.ack_drops)?;
        self.row(f, "sp_flows", |tin| tin.sparse_flows)?;
        self.row(f, "bk_flows", |tin| tin.bulk_flows)?;
        self.row(f, "un_flows", |tin| tin.unresponsive_flows)?;
        self.row(f, "max_len ", |tin| tin.max_pkt_len.0)?;
        self.row(f, "quantum ", |tin| tin.flow_quantum)
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
                sparse_flows: tin.flows.sparse,
                bulk_flows: tin.flows.bulk,
                unresponsive_flows: tin.flows.unresponsive,
                max_pkt_len: tin.counters.longest,
                flow_quantum: tin.quantum(),
            }
        };
        Self {
            overlimits: queue.overlimits,
            memory_used: queue.memory.most_used,
            memory_limit: queue.memory.limit,
            capacity_estimate: queue.capacity.bytes_per_sec(),
            sizes: queue.framer.seen,
            avg_hdr_offset: queue.framer.mean_offset(),
            diffserv: queue.spec.diffserv,
            tins: (0..queue.tins.len()).map(tin_stats).collect(),
        }
    }

    fn write_headings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\n          ")?;
        for place in 0..self.tins.len() {
            match self.diffserv.heading(place) {
                Some(heading) => write!(f, " {heading:>12}")?,
                None => write!(f, "        Tin {place}")?,
            }
        }
        Ok(())
    }

    fn row<T: fmt::Display>(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: &str,
        value: impl Fn(&TinStats) -> T,
    ) -> fmt::Result {
        write!(f, "\n  {name}")?;
        self.tins.iter().try_for_each(|tin| {
            let value = alloc::format!("{}", value(tin));
            write!(f, " {value:>12}")
        })
    }
}

/// A rate in bytes per second as tc prints it: `9071Kbit`.
struct BytesPerSec(u64);

impl fmt::Display for BytesPerSec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut rate, mut unit) = (self.0 * 8, 0);
        let units = ["", "K", "M", "G", "T"];
        while rate >= 1000 && unit + 1 < units.len() && (rate % 1000 == 0 || rate >= 1_000_000) {
            (rate, unit) = (rate / 1000, unit + 1);
        }
        write!(f, "{rate}{}bit", units[unit])
    }
}

/// A time as tc prints it: three digits, `60.6ms`.
struct Delay(Span);

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_nanos() / 1000;
        let (value, unit) = match micros {
            0..1000 => return write!(f, "{micros}us"),
            1000..1_000_000 => (micros as f64 / 1e3, "ms"),
            _ => (micros as f64 / 1e6, "s"),
        };
        let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
        let digits = alloc::format!("{value:.decimals$}");
        let digits = match digits.split_once('.') {
            Some(_) => digits.trim_end_matches('0').trim_end_matches('.'),
            None => &digits,
        };
        write!(f, "{digits}{unit}")
    }
}

/// A size as tc prints it, rounded if it is near a whole number of a larger unit: `4098Kb`.
struct Size(Bytes);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.0;
        for (unit, name, near) in [(1_u64 << 20, "Mb", 1024), (1 << 10, "Kb", 16)] {
            let whole = (bytes + unit / 2) / unit;
            if bytes >= unit && (whole * unit).abs_diff(bytes) < near {
                return write!(f, "{whole}{name}");
            }
        }
        write!(f, "{bytes}b")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// Numbers as a real tc printed them, beside its JSON (reference/cake/tc).
    #[test]
    fn numbers_as_tc_prints_them() {
        for (bytes_per_sec, text) in [
            (37_500, "300Kbit"),
            (1_250_000, "10Mbit"),
            (78_125, "625Kbit"),
            (312_500, "2500Kbit"),
            (957_031, "7656Kbit"),
            (0, "0bit"),
        ] {
            assert_eq!(BytesPerSec(bytes_per_sec).to_string(), text);
        }
        for (micros, text) in [
            (60_559, "60.6ms"),
            (155_559, "156ms"),
            (1_551, "1.55ms"),
            (228, "228us"),
            (2, "2us"),
            (5_000, "5ms"),
            (100_000, "100ms"),
            (74_997, "75ms"),
            (9_996, "10ms"),
            (1_050_000, "1.05s"),
        ] {
            assert_eq!(Delay(Span::from_micros(micros)).to_string(), text);
        }
        for (bytes, text) in [
            (2703, "2703b"),
            (4_194_304, "4Mb"),
            (4_196_352, "4098Kb"),
            (65_536, "64Kb"),
            (15_503_360, "15140Kb"),
            (0, "0b"),
        ] {
            assert_eq!(Size(Bytes(bytes)).to_string(), text);
        }
    }
}
