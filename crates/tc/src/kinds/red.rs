//! `red` (iproute2, tc/q_red.c and tc/tc_red.c; Linux, net/sched/sch_red.c).
//!
//! Of `red auto`, whose thresholds follow from the link, `min` and `max` are not told: they are
//! packets, and tc's are bytes.

use qdisc::Tally;
use qdisc::disciplines::red::{RedSpec, RedThresholds};
use serde_json::json;

use super::present;
use crate::Fields;
use crate::layout::Form::{Count, Real, Size, Switch};
use crate::layout::{Layout, field};

pub(super) const LAYOUT: Layout = Layout {
    options: &[
        field("limit", "limit ", Size, " "),
        field("min", "min ", Size, " "),
        field("max", "max ", Size, " "),
        field("ecn", "", Switch("ecn", ""), " "),
        field("harddrop", "", Switch("harddrop", ""), " "),
        field("adaptive", "", Switch("adaptive", ""), " "),
        field("nodrop", "", Switch("nodrop", ""), " "),
        field("ewma", "ewma ", Count, " "),
        field("probability", "probability ", Real, " "),
        field("Plog", "Plog ", Count, " "),
        field("Scell_log", "Scell_log ", Count, ""),
    ],
    stats: &[
        field("marked", "  marked ", Count, " "),
        field("early", "early ", Count, " "),
        field("pdrop", "pdrop ", Count, " "),
        field("other", "other ", Count, " "),
    ],
    table: None,
};

/// The options of these settings.
pub(crate) fn options(spec: &RedSpec) -> Fields {
    let (min, max) = match &spec.thresholds {
        RedThresholds::Fixed { min, max, .. } => (Some(min.0), Some(max.0)),
        _ => (None, None),
    };
    present(json!({
        "limit": spec.limit.0,
        "min": min,
        "max": max,
        "ecn": spec.ecn,
        "harddrop": spec.hard_drop,
        "adaptive": spec.adaptive,
        "nodrop": false,
    }))
}

/// The statistics. No filter drops a packet here, so that `other` is 0.
pub(crate) fn stats(tally: &Tally) -> Fields {
    present(json!({
        "marked": tally.marked,
        "early": tally.dropped_early,
        "pdrop": tally.overflowed,
        "other": 0,
    }))
}
