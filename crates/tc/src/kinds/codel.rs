//! `codel` (iproute2, tc/q_codel.c; Linux, net/sched/sch_codel.c).
//!
//! A kernel keeps times in units of 1.024 us, and so shows 4999 us for a target of 5 ms in JSON;
//! the times here are those that were set.

use qdisc::disciplines::codel::{CoDelSpec, CoDelStats};
use qdisc::{DueIn, Tally};
use serde_json::json;

use super::{micros, present};
use crate::Fields;
use crate::layout::Form::{Count, Flag, SignedTime, Time};
use crate::layout::{Layout, field};

pub(super) const LAYOUT: Layout = Layout {
    options: &[
        field("limit", "limit ", Count, "p "),
        field("target", "target ", Time, " "),
        field("ce_threshold", "ce_threshold ", Time, " "),
        field("interval", "interval ", Time, " "),
        field("ecn", "", Flag("ecn"), " "),
    ],
    stats: &[
        field("count", "  count ", Count, ""),
        field("lastcount", " lastcount ", Count, ""),
        field("ldelay", " ldelay ", Time, ""),
        field("dropping", " ", Flag("dropping"), ""),
        field("drop_next", " drop_next ", SignedTime, ""),
        field("maxpacket", "\n  maxpacket ", Count, ""),
        field("ecn_mark", " ecn_mark ", Count, ""),
        field("drop_overlimit", " drop_overlimit ", Count, ""),
        field("ce_mark", " ce_mark ", Count, ""),
    ],
    table: None,
};

/// The options of these settings.
pub(crate) fn options(spec: &CoDelSpec) -> Fields {
    present(json!({
        "limit": spec.limit,
        "target": micros(spec.target),
        "ce_threshold": spec.ce_threshold.map(micros),
        "interval": micros(spec.interval),
        "ecn": spec.ecn.then_some(true),
    }))
}

/// The statistics.
pub(crate) fn stats(stats: &CoDelStats, tally: &Tally) -> Fields {
    let drop_next = match stats.drop_next {
        Some(DueIn::Future(span)) => micros(span) as i64,
        Some(DueIn::Past(span)) => -(micros(span) as i64),
        None => 0,
    };
    present(json!({
        "count": stats.count,
        "lastcount": stats.lastcount,
        "ldelay": micros(stats.ldelay),
        "dropping": stats.drop_next.is_some().then_some(true),
        "drop_next": drop_next,
        "maxpacket": stats.maxpacket.0,
        "ecn_mark": tally.marked,
        "drop_overlimit": tally.overflowed,
        "ce_mark": Some(tally.marked_above_threshold).filter(|marks| *marks > 0),
    }))
}
