//! What tc would print of our `cake`.

use qdisc::disciplines::cake::{CakeSpec, CakeStats, TinStats};
use serde_json::{Value, json};
use units::Span;

use super::LAYOUT;
use crate::cursor::Cursor;
use crate::kinds::{micros, present};
use crate::{Fields, layout};

/// The options of these settings. The words are those in which the settings are printed, which are
/// tc's, but for the rate: as in a kernel, it is the present one, which changes with
/// `autorate-ingress`, and without a limit tc shows other words than it takes.
pub(crate) fn options(spec: &CakeSpec, stats: &CakeStats) -> Fields {
    shaped(spec, stats.rate)
}

/// The options, with the present rate in bytes per second.
fn shaped(spec: &CakeSpec, rate: Option<u64>) -> Fields {
    // A program may set what tc cannot express: tc counts whole microseconds.
    let mut spec = spec.clone();
    spec.rtt = Span::from_micros(micros(spec.rtt).max(1));
    let text = spec.to_string();
    // `cake bandwidth RATE ...` or `cake unlimited ...`
    let settings = text.trim_start_matches("cake ").trim_start_matches("bandwidth ");
    let (_, words) = settings.split_once(' ').unwrap_or_default();
    let mut fields = Fields::new();
    fields.insert("bandwidth".into(), rate.map_or("unlimited".into(), Value::from));
    let read = layout::read(LAYOUT.options, &mut Cursor::new(words), &mut fields);
    debug_assert!(read.is_ok(), "{words}: {read:?}");
    fields.insert("rtt".into(), micros(spec.rtt).into());
    fields
}

/// The statistics.
pub(crate) fn stats(stats: &CakeStats) -> Fields {
    present(json!({
        "memory_used": stats.memory_used.0,
        "memory_limit": stats.memory_limit.0,
        "capacity_estimate": stats.capacity_estimate,
        "min_network_size": stats.sizes.min_network,
        "max_network_size": stats.sizes.max_network,
        "min_adj_size": stats.sizes.min_adjusted,
        "max_adj_size": stats.sizes.max_adjusted,
        "avg_hdr_offset": stats.avg_hdr_offset.0,
        "tins": stats.tins.iter().map(tin).collect::<Vec<_>>(),
    }))
}

/// The fields of a tin, in the order of tc's JSON, which is not that of its table.
fn tin(tin: &TinStats) -> Value {
    json!({
        "threshold_rate": tin.threshold_rate,
        "sent_bytes": tin.sent_bytes.0,
        "backlog_bytes": tin.backlog_bytes.0,
        "target_us": micros(tin.target),
        "interval_us": micros(tin.interval),
        "peak_delay_us": micros(tin.peak_delay),
        "avg_delay_us": micros(tin.avg_delay),
        "base_delay_us": micros(tin.base_delay),
        "sent_packets": tin.sent_packets,
        "way_indirect_hits": tin.way_indirect_hits,
        "way_misses": tin.way_misses,
        "way_collisions": tin.way_collisions,
        "drops": tin.drops,
        "ecn_mark": tin.ecn_mark,
        "ack_drops": tin.ack_drops,
        "sparse_flows": tin.sparse_flows,
        "bulk_flows": tin.bulk_flows,
        "unresponsive_flows": tin.unresponsive_flows,
        "max_pkt_len": tin.max_pkt_len.0,
        "flow_quantum": tin.flow_quantum,
    })
}

#[cfg(test)]
mod tests {
    use qdisc::{QdiscSpec, SpecError};

    use super::*;

    /// The options of a kernel's `cake`, in its order.
    const ALL: [&str; 13] = [
        "bandwidth",
        "diffserv",
        "flowmode",
        "nat",
        "wash",
        "ingress",
        "ack-filter",
        "split_gso",
        "rtt",
        "raw",
        "atm",
        "overhead",
        "fwmark",
    ];

    #[test]
    fn no_option_is_lost() -> Result<(), SpecError> {
        for nanos in [1, 500, 1_500, 100_123_000, 4_294_967_295_000] {
            let QdiscSpec::Cake(mut spec) = "cake docsis fwmark 0xff".parse()? else {
                unreachable!()
            };
            spec.rtt = Span::from_nanos(nanos);
            let fields = shaped(&spec, None);
            for key in ALL {
                assert!(fields.contains_key(key), "{key} with {nanos} ns: {fields:?}");
            }
        }
        Ok(())
    }
}
