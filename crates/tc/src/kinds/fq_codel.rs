//! `fq_codel` (iproute2, tc/q_fq_codel.c; Linux, net/sched/sch_fq_codel.c).
//!
//! Not told of ours: `memory_used`, since our queues count the bytes of packets and not the memory
//! that a kernel takes for them; and `drop_overmemory`, the part of `drop_overlimit` that memory
//! caused.

use qdisc::Tally;
use qdisc::disciplines::fq_codel::{FqCoDelSpec, FqCoDelStats};
use serde_json::json;

use super::{micros, present};
use crate::Fields;
use crate::layout::Form::{Count, Flag, Hex, Size, Time};
use crate::layout::{Layout, field};

pub(super) const LAYOUT: Layout = Layout {
    options: &[
        field("limit", "limit ", Count, "p "),
        field("flows", "flows ", Count, " "),
        field("quantum", "quantum ", Count, " "),
        field("target", "target ", Time, " "),
        field("ce_threshold", "ce_threshold ", Time, " "),
        field("ce_threshold_selector", "ce_threshold_selector ", Hex, ""),
        field("ce_threshold_mask", "/", Hex, " "),
        field("interval", "interval ", Time, " "),
        field("memory_limit", "memory_limit ", Size, " "),
        field("ecn", "", Flag("ecn"), " "),
        field("drop_batch", "drop_batch ", Count, " "),
    ],
    stats: &[
        field("maxpacket", "  maxpacket ", Count, ""),
        field("drop_overlimit", " drop_overlimit ", Count, ""),
        field("new_flow_count", " new_flow_count ", Count, ""),
        field("ecn_mark", " ecn_mark ", Count, ""),
        field("ce_mark", " ce_mark ", Count, ""),
        field("memory_used", " memory_used ", Count, ""),
        field("drop_overmemory", " drop_overmemory ", Count, ""),
        field("new_flows_len", "\n  new_flows_len ", Count, ""),
        field("old_flows_len", " old_flows_len ", Count, ""),
    ],
    table: None,
};

/// The options of these settings.
pub(crate) fn options(spec: &FqCoDelSpec) -> Fields {
    let FqCoDelSpec { queues, codel, .. } = spec;
    present(json!({
        "limit": queues.limit,
        "flows": queues.flows,
        "quantum": queues.quantum.0,
        "target": micros(codel.target),
        "ce_threshold": codel.ce_threshold.map(micros),
        "interval": micros(codel.interval),
        "memory_limit": queues.memory_limit.0,
        "ecn": codel.ecn.then_some(true),
        "drop_batch": queues.drop_batch,
    }))
}

/// The statistics.
pub(crate) fn stats(stats: &FqCoDelStats, tally: &Tally) -> Fields {
    present(json!({
        "maxpacket": stats.maxpacket.0,
        "drop_overlimit": tally.overflowed,
        "new_flow_count": stats.new_flow_count,
        "ecn_mark": tally.marked,
        "ce_mark": Some(tally.marked_above_threshold).filter(|marks| *marks > 0),
        "new_flows_len": stats.new_flows_len,
        "old_flows_len": stats.old_flows_len,
    }))
}
