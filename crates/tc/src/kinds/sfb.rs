//! `sfb` (iproute2, tc/q_sfb.c; Linux, net/sched/sch_sfb.c).

use qdisc::Tally;
use qdisc::disciplines::sfb::{SfbSpec, SfbStats};
use serde_json::json;

use super::{micros, present};
use crate::Fields;
use crate::layout::Form::{Count, Real, Time};
use crate::layout::{Layout, field};

pub(super) const LAYOUT: Layout = Layout {
    options: &[
        field("rehash", "rehash ", Time, " "),
        field("db", "db ", Time, " "),
        field("limit", "limit ", Count, "p "),
        field("max", "max ", Count, "p "),
        field("target", "target ", Count, "p "),
        field("increment", "increment ", Real, " "),
        field("decrement", "decrement ", Real, " "),
        field("penalty_rate", "penalty_rate ", Count, "pps "),
        field("penalty_burst", "penalty_burst ", Count, "p "),
    ],
    stats: &[
        field("earlydrop", "  earlydrop ", Count, ""),
        field("penaltydrop", " penaltydrop ", Count, ""),
        field("bucketdrop", " bucketdrop ", Count, ""),
        field("queuedrop", " queuedrop ", Count, ""),
        field("childdrop", " childdrop ", Count, ""),
        field("marked", " marked ", Count, ""),
        field("maxqlen", "\n  maxqlen ", Count, ""),
        field("maxprob", " maxprob ", Real, ""),
        field("avgprob", " avgprob ", Real, ""),
    ],
    table: None,
};

/// The options of these settings.
pub(crate) fn options(spec: &SfbSpec) -> Fields {
    let parameters = &spec.parameters;
    present(json!({
        "rehash": micros(parameters.rehash),
        "db": micros(parameters.warm_up),
        "limit": parameters.limit,
        "max": parameters.max,
        "target": parameters.target,
        "increment": parameters.increment.get(),
        "decrement": parameters.decrement.get(),
        "penalty_rate": parameters.penalty_rate,
        "penalty_burst": parameters.penalty_burst,
    }))
}

/// The statistics. There is no queue below that could refuse a packet, so that `childdrop` is 0.
pub(crate) fn stats(stats: &SfbStats, tally: &Tally) -> Fields {
    present(json!({
        "earlydrop": tally.dropped_early.saturating_sub(stats.penalty_drops),
        "penaltydrop": stats.penalty_drops,
        "bucketdrop": stats.bucket_drops,
        "queuedrop": tally.overflowed.saturating_sub(stats.bucket_drops),
        "childdrop": 0,
        "marked": tally.marked,
        "maxqlen": stats.maxqlen,
        "maxprob": stats.maxprob.get(),
        "avgprob": stats.avgprob.get(),
    }))
}
