//! The table of tins.

use crate::layout::Form::{Count, Rate, Size, Time};
use crate::layout::{Field, Form, Table};

pub(super) const TABLE: Table = Table {
    key: "tins",
    columns: tin_names,
    most: 8,
    rows: &[
        row("threshold_rate", "  thresh  ", Rate),
        row("target_us", "  target  ", Time),
        row("interval_us", "  interval", Time),
        row("peak_delay_us", "  pk_delay", Time),
        row("avg_delay_us", "  av_delay", Time),
        row("base_delay_us", "  sp_delay", Time),
        row("backlog_bytes", "  backlog ", Size),
        row("sent_packets", "  pkts    ", Count),
        row("sent_bytes", "  bytes   ", Count),
        row("way_indirect_hits", "  way_inds", Count),
        row("way_misses", "  way_miss", Count),
        row("way_collisions", "  way_cols", Count),
        row("drops", "  drops   ", Count),
        row("ecn_mark", "  marks   ", Count),
        row("ack_drops", "  ack_drop", Count),
        row("sparse_flows", "  sp_flows", Count),
        row("bulk_flows", "  bk_flows", Count),
        row("unresponsive_flows", "  un_flows", Count),
        row("max_pkt_len", "  max_len ", Count),
        row("flow_quantum", "  quantum ", Count),
    ],
};

const fn row(key: &'static str, before: &'static str, form: Form) -> Field {
    Field { key, before, form, after: "\n", width: 12 }
}

/// The names of the tins of a CAKE: three and four have names, whatever the division.
pub fn tin_names(tins: usize) -> Vec<String> {
    let names: &[&str] = match tins {
        3 => &["Bulk", "Best Effort", "Voice"],
        4 => &["Bulk", "Best Effort", "Video", "Voice"],
        _ => &[],
    };
    let name = |tin: usize| names.get(tin).map_or(format!("Tin {tin}"), |name| (*name).to_owned());
    (0..tins).map(name).collect()
}
