//! `cake` (iproute2, tc/q_cake.c; Linux, net/sched/sch_cake.c).

mod own;
mod tins;

pub(crate) use own::{options, stats};
pub use tins::tin_names;

use crate::layout::Form::{Count, Integer, Limit, Mask, Rate, Size, Switch, Time, Words};
use crate::layout::{Field, Layout, field};

/// The divisions into tins, as text and in JSON.
const DIFFSERV: &[(&str, &str)] = &[
    ("diffserv3", "diffserv3"),
    ("diffserv4", "diffserv4"),
    ("diffserv8", "diffserv8"),
    ("besteffort", "besteffort"),
    ("precedence", "precedence"),
];

/// The isolations, as text and in JSON.
const ISOLATION: &[(&str, &str)] = &[
    ("flowblind", "flowblind"),
    ("srchost", "srchost"),
    ("dsthost", "dsthost"),
    ("hosts", "hosts"),
    ("flows", "flows"),
    ("dual-srchost", "dual-srchost"),
    ("dual-dsthost", "dual-dsthost"),
    ("triple-isolate", "triple-isolate"),
];

/// The filters of acknowledgements, as text and in JSON.
const ACK_FILTERS: &[(&str, &str)] = &[
    ("no-ack-filter", "disabled"),
    ("ack-filter", "enabled"),
    ("ack-filter-aggressive", "aggressive"),
];

/// The cells, as text and in JSON.
const CELLS: &[(&str, &str)] = &[("noatm", "noatm"), ("atm", "atm"), ("ptm", "ptm")];

pub(super) const LAYOUT: Layout = Layout {
    options: &[
        field("bandwidth", "bandwidth ", Limit, " "),
        field("autorate", "", Words(&[("autorate-ingress", "autorate-ingress")]), " "),
        field("diffserv", "", Words(DIFFSERV), " "),
        field("flowmode", "", Words(ISOLATION), " "),
        field("nat", "", Switch("nat", "nonat"), " "),
        field("wash", "", Switch("wash", "nowash"), " "),
        field("ingress", "", Switch("ingress", ""), " "),
        field("ack-filter", "", Words(ACK_FILTERS), " "),
        field("split_gso", "", Switch("split-gso", "no-split-gso"), " "),
        field("rtt", "rtt ", Time, " "),
        field("raw", "", Switch("raw", ""), " "),
        field("atm", "", Words(CELLS), " "),
        field("overhead", "overhead ", Integer, " "),
        field("mpu", "mpu ", Count, " "),
        field("memlimit", "memlimit ", Size, " "),
        field("fwmark", "fwmark ", Mask, " "),
    ],
    stats: &[
        field("memory_used", " memory used: ", Size, ""),
        field("memory_limit", " of ", Size, "\n"),
        field("capacity_estimate", " capacity estimate: ", Rate, "\n"),
        padded("min_network_size", " min/max network layer size: ", 12, ""),
        padded("max_network_size", " /", 8, "\n"),
        padded("min_adj_size", " min/max overhead-adjusted size: ", 8, ""),
        padded("max_adj_size", " /", 8, "\n"),
        padded("active_queues", " active queues: ", 25, "\n"),
        padded("avg_hdr_offset", " average network hdr offset: ", 12, "\n\n"),
    ],
    table: Some(tins::TABLE),
};

const fn padded(
    key: &'static str,
    before: &'static str,
    width: usize,
    after: &'static str,
) -> Field {
    Field { width, ..field(key, before, Count, after) }
}
