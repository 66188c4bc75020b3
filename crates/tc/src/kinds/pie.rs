//! `pie` (iproute2, tc/q_pie.c; Linux, net/sched/sch_pie.c).

use qdisc::disciplines::pie::{PieDelay, PieSpec, PieStats};
use qdisc::{Backlog, Tally};
use serde_json::json;

use super::{micros, present};
use crate::Fields;
use crate::layout::Form::{Count, Flag, Real, Time};
use crate::layout::{Layout, field};

pub(super) const LAYOUT: Layout = Layout {
    options: &[
        field("limit", "limit ", Count, "p "),
        field("target", "target ", Time, " "),
        field("tupdate", "tupdate ", Time, " "),
        field("alpha", "alpha ", Count, " "),
        field("beta", "beta ", Count, " "),
        field("ecn", "", Flag("ecn"), " "),
        field("bytemode", "", Flag("bytemode"), " "),
        field("dq_rate_estimator", "", Flag("dq_rate_estimator"), " "),
    ],
    stats: &[
        field("prob", "  prob ", Real, ""),
        field("delay", " delay ", Time, ""),
        field("avg_dq_rate", " avg_dq_rate ", Count, ""),
        field("pkts_in", "\n  pkts_in ", Count, ""),
        field("overlimit", " overlimit ", Count, ""),
        field("dropped", " dropped ", Count, ""),
        field("maxq", " maxq ", Count, ""),
        field("ecn_mark", " ecn_mark ", Count, ""),
    ],
    table: None,
};

/// The options of these settings.
pub(crate) fn options(spec: &PieSpec) -> Fields {
    present(json!({
        "limit": spec.limit,
        "target": micros(spec.target),
        "tupdate": micros(spec.update_interval),
        "alpha": spec.alpha,
        "beta": spec.beta,
        "ecn": spec.ecn.then_some(true),
        "bytemode": spec.byte_mode.then_some(true),
        "dq_rate_estimator": (spec.delay == PieDelay::DequeueRate).then_some(true),
    }))
}

/// The statistics. `dropped` includes what did not fit, as in sch_pie.c, `pie_qdisc_enqueue`, but
/// not what a change of the settings discards.
pub(crate) fn stats(stats: &PieStats, tally: &Tally, backlog: Backlog) -> Fields {
    present(json!({
        "prob": stats.prob,
        "delay": micros(stats.delay),
        "avg_dq_rate": stats.avg_dq_rate,
        "pkts_in": tally.sent.packets + tally.discarded.packets + backlog.packets,
        "overlimit": tally.overflowed,
        "dropped": tally.overflowed + tally.dropped_early,
        "maxq": stats.maxq,
        "ecn_mark": tally.marked,
    }))
}
