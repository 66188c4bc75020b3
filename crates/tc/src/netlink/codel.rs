//! `codel`: `TCA_CODEL_*` and `struct tc_codel_xstats` (iproute2, tc/q_codel.c).

use serde_json::json;

use super::{Attributes, positive, words};
use crate::Fields;
use crate::kinds::present;

/// The options, in the order of tc's JSON.
pub(super) fn options(options: Attributes<'_>) -> Fields {
    present(json!({
        "limit": options.u32(2),
        "target": options.u32(1),
        "ce_threshold": options.u32(5),
        "interval": options.u32(3),
        "ecn": options.is_set(4).then_some(true),
    }))
}

/// The statistics; none if the kernel told none.
pub(super) fn stats(stats: &[u8]) -> Fields {
    if stats.is_empty() {
        return Fields::new();
    }
    let [maxpacket, count, lastcount, ldelay, drop_next, overlimit, marked, dropping, above] =
        words(stats);
    present(json!({
        "count": count,
        "lastcount": lastcount,
        "ldelay": ldelay,
        "dropping": (dropping > 0).then_some(true),
        "drop_next": drop_next.cast_signed(),
        "maxpacket": maxpacket,
        "ecn_mark": marked,
        "drop_overlimit": overlimit,
        "ce_mark": positive(above),
    }))
}
