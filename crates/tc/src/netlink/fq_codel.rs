//! `fq_codel`: `TCA_FQ_CODEL_*` and `struct tc_fq_codel_xstats` (iproute2, tc/q_fq_codel.c).

use serde_json::json;

use super::{Attributes, positive, words};
use crate::Fields;
use crate::kinds::present;

/// The options, in the order of tc's JSON.
pub(super) fn options(options: Attributes<'_>) -> Fields {
    let [selector, mask] = [10, 11].map(|kind| options.u8(kind).unwrap_or_default());
    let is_selective = selector > 0 || mask > 0;
    present(json!({
        "limit": options.u32(2),
        "flows": options.u32(5),
        "quantum": options.u32(6),
        "target": options.u32(1),
        "ce_threshold": options.u32(7),
        "ce_threshold_selector": is_selective.then_some(selector),
        "ce_threshold_mask": is_selective.then_some(mask),
        "interval": options.u32(3),
        "memory_limit": options.u32(9),
        "ecn": options.is_set(4).then_some(true),
        "drop_batch": options.u32(8).and_then(positive),
    }))
}

/// The statistics; none if the kernel told none of a queue (`TCA_FQ_CODEL_XSTATS_QDISC`).
pub(super) fn stats(stats: &[u8]) -> Fields {
    let [of_class, maxpacket, overlimit, marked, new_flows, new_len, old_len, above, memory, over] =
        words(stats);
    if stats.is_empty() || of_class > 0 {
        return Fields::new();
    }
    present(json!({
        "maxpacket": maxpacket,
        "drop_overlimit": overlimit,
        "new_flow_count": new_flows,
        "ecn_mark": marked,
        "ce_mark": positive(above),
        "memory_used": positive(memory),
        "drop_overmemory": positive(over),
        "new_flows_len": new_len,
        "old_flows_len": old_len,
    }))
}
