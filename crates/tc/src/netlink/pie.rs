//! `pie`: `TCA_PIE_*` and `struct tc_pie_xstats` (iproute2, tc/q_pie.c).

use serde_json::json;

use super::{Attributes, u64_at, words};
use crate::Fields;
use crate::kinds::present;

/// The options, in the order of tc's JSON.
pub(super) fn options(options: Attributes<'_>) -> Fields {
    let flag = |kind| options.is_set(kind).then_some(true);
    present(json!({
        "limit": options.u32(2),
        "target": options.u32(1),
        "tupdate": options.u32(3),
        "alpha": options.u32(4),
        "beta": options.u32(5),
        "ecn": flag(6),
        "bytemode": flag(7),
        "dq_rate_estimator": flag(8),
    }))
}

/// The statistics; none if the kernel told none.
pub(super) fn stats(stats: &[u8]) -> Fields {
    let Some(prob) = u64_at(stats, 0) else { return Fields::new() };
    let [delay, dq_rate, estimates, packets_in, dropped, overlimit, maxq, marked] =
        words(&stats[8..]);
    present(json!({
        // A part of the largest number.
        "prob": prob as f64 / u64::MAX as f64,
        "delay": delay,
        "avg_dq_rate": (estimates > 0).then_some(dq_rate),
        "pkts_in": packets_in,
        "overlimit": overlimit,
        "dropped": dropped,
        "maxq": maxq,
        "ecn_mark": marked,
    }))
}
