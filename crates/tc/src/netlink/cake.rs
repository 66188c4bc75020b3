//! `cake`: `TCA_CAKE_*`, `TCA_CAKE_STATS_*` and `TCA_CAKE_TIN_STATS_*` (iproute2, tc/q_cake.c,
//! `cake_print_opt` and `cake_print_xstats`).

use serde_json::{Value, json};

use super::Attributes;
use crate::Fields;
use crate::kinds::present;
use crate::layout::hex;

/// The names of modes, in the order of their numbers (`CAKE_DIFFSERV_*`, `CAKE_FLOW_*`,
/// `CAKE_ACK_*`, `CAKE_ATM_*`).
const DIFFSERV: [&str; 5] = ["diffserv3", "diffserv4", "diffserv8", "besteffort", "precedence"];
const FLOW_MODES: [&str; 8] = [
    "flowblind",
    "srchost",
    "dsthost",
    "hosts",
    "flows",
    "dual-srchost",
    "dual-dsthost",
    "triple-isolate",
];
const ACK_FILTERS: [&str; 3] = ["disabled", "enabled", "aggressive"];
const CELLS: [&str; 3] = ["noatm", "atm", "ptm"];

/// The most tins (`TC_CAKE_MAX_TINS`).
const TINS: u16 = 8;

/// The options, in the order of tc's JSON.
pub(super) fn options(options: Attributes<'_>) -> Fields {
    let bandwidth = |rate| if rate == 0 { "unlimited".into() } else { Value::from(rate) };
    let is_raw = options.get(12).is_some();
    let cells = options.u32(4).unwrap_or_default();
    present(json!({
        "bandwidth": options.u64(2).map(bandwidth),
        "autorate": options.is_set(9).then_some("autorate-ingress"),
        "diffserv": name(&DIFFSERV, options.u32(3)),
        "flowmode": name(&FLOW_MODES, options.u32(5)),
        "nat": options.is_set(11),
        "wash": options.is_set(13),
        "ingress": options.is_set(15),
        "ack-filter": name(&ACK_FILTERS, options.u32(16)).unwrap_or(ACK_FILTERS[0]),
        "split_gso": options.is_set(17),
        "rtt": options.u32(7).unwrap_or_default(),
        "raw": is_raw,
        "atm": name(&CELLS, Some(cells)).filter(|_| cells > 0 || !is_raw),
        "overhead": options.u32(6).unwrap_or_default().cast_signed(),
        "mpu": options.u32(14).filter(|mpu| *mpu > 0),
        "memlimit": options.u32(10).filter(|limit| *limit > 0),
        "fwmark": hex(options.u32(18).unwrap_or_default().into()),
    }))
}

/// The name of a mode; `None` for one that is not known here.
fn name<'a>(names: &[&'a str], number: Option<u32>) -> Option<&'a str> {
    names.get(number? as usize).copied()
}

/// The statistics, in the order of tc's JSON.
pub(super) fn stats(stats: Attributes<'_>) -> Fields {
    let tins = Attributes(stats.get(10).unwrap_or_default());
    let tins: Vec<Value> =
        (1..=TINS).map_while(|number| tins.get(number)).map(|it| tin(Attributes(it))).collect();
    present(json!({
        "memory_used": stats.u32(4),
        "memory_limit": stats.u32(3),
        "capacity_estimate": stats.u64(2),
        "min_network_size": stats.u32(6),
        "max_network_size": stats.u32(7),
        "min_adj_size": stats.u32(8),
        "max_adj_size": stats.u32(9),
        "active_queues": stats.u32(17),
        "avg_hdr_offset": stats.u32(5),
        "tins": Some(tins).filter(|tins| !tins.is_empty()),
    }))
}

/// The statistics of a tin.
fn tin(tin: Attributes<'_>) -> Value {
    let fields = present(json!({
        "threshold_rate": tin.u64(12),
        "sent_bytes": tin.u64(3),
        "backlog_bytes": tin.u32(11),
        "target_us": tin.u32(13),
        "interval_us": tin.u32(14),
        "peak_delay_us": tin.u32(18),
        "avg_delay_us": tin.u32(19),
        "base_delay_us": tin.u32(20),
        "sent_packets": tin.u32(2),
        "way_indirect_hits": tin.u32(15),
        "way_misses": tin.u32(16),
        "way_collisions": tin.u32(17),
        "drops": tin.u32(4),
        "ecn_mark": tin.u32(8),
        "ack_drops": tin.u32(6),
        "sparse_flows": tin.u32(21),
        "bulk_flows": tin.u32(22),
        "unresponsive_flows": tin.u32(23),
        "max_pkt_len": tin.u32(24),
        "flow_quantum": tin.u32(25),
    }));
    fields.into()
}
