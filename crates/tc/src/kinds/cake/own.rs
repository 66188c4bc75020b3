//! What tc would print of our `cake`.

use qdisc::disciplines::cake::{CakeSpec, CakeStats, Cells, Framing, TinStats};
use serde_json::{Value, json};

use super::ACK_FILTERS;
use crate::Fields;
use crate::kinds::{micros, present};
use crate::layout::hex;

/// The options of these settings, as tc's JSON has them. As in a kernel, the rate is the present
/// one, which changes with `autorate-ingress`.
pub(crate) fn options(spec: &CakeSpec, stats: &CakeStats) -> Fields {
    let Framing { raw, overhead, mpu, cells, .. } = spec.framing;
    let ack_filter = ACK_FILTERS.iter().find(|(word, _)| *word == spec.ack_filter.name());
    present(json!({
        "bandwidth": stats.rate.map_or("unlimited".into(), Value::from),
        "autorate": spec.autorate_ingress.then_some("autorate-ingress"),
        "diffserv": spec.diffserv.name(),
        "flowmode": spec.isolation.name(),
        "nat": spec.nat,
        "wash": spec.wash,
        "ingress": spec.ingress,
        "ack-filter": ack_filter.map(|(_, json)| *json),
        "split_gso": spec.split_gso,
        // A program may set less than the microsecond that is tc's least.
        "rtt": micros(spec.rtt).max(1),
        "raw": raw,
        "atm": (!raw || cells != Cells::None).then_some(cells.name()),
        "overhead": overhead,
        "mpu": Some(mpu).filter(|mpu| *mpu > 0),
        "memlimit": spec.memlimit.map(|limit| limit.0),
        "fwmark": hex(spec.fwmark.into()),
    }))
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
    use qdisc::history::Probe;
    use qdisc::{AnyStats, LinkInfo, QdiscSpec};
    use units::{Bytes, Rate, Rng, Time};

    use super::*;
    use crate::kinds::cake::LAYOUT;
    use crate::layout;

    /// Words of which one of each row is drawn. The values are those that tc's text does not round.
    const WORDS: [&[&str]; 14] = [
        &["", "bandwidth 9071kbit", "unlimited"],
        &["", "autorate-ingress"],
        &["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"],
        &["flowblind", "srchost", "dsthost", "hosts"],
        &["", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"],
        &["", "nat"],
        &["", "wash"],
        &["", "ingress"],
        &["", "ack-filter", "ack-filter-aggressive"],
        &["", "no-split-gso"],
        &["", "rtt 1us", "rtt 155ms", "rtt 4290s"],
        &["", "raw", "docsis", "pppoe-ptm", "overhead -64", "atm", "ptm overhead 256 mpu 256"],
        &["", "memlimit 64kb", "memlimit 1"],
        &["", "fwmark 0xff", "fwmark 0xffffffff"],
    ];

    /// The settings of these words, and the options that are printed of them.
    fn options_of(words: &str) -> (QdiscSpec, Fields) {
        let spec: QdiscSpec = format!("cake {words}").parse().unwrap();
        let link = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));
        let stats = spec.build::<Probe>(link, Rng::new(1)).stats(Time::ZERO);
        let (QdiscSpec::Cake(cake), AnyStats::Cake(stats)) = (&spec, stats) else { unreachable!() };
        let fields = options(cake, &stats);
        (spec, fields)
    }

    /// The text of the options, read again, is the queue that was printed; and JSON has an option
    /// for each setting that tc always shows.
    #[test]
    fn no_option_is_lost() {
        let mut rng = Rng::new(15);
        for _ in 0..1000 {
            let words = WORDS.map(|row| row[rng.below(row.len() as u64) as usize]).join(" ");
            let (spec, fields) = options_of(&words);
            layout::check(LAYOUT.options, &fields).unwrap();
            let always = LAYOUT.options.iter().map(|field| field.key);
            let optional = ["autorate", "atm", "mpu", "memlimit"];
            for key in always.filter(|key| !optional.contains(key)) {
                assert!(fields.contains_key(key), "{words}: no {key}");
            }
            let mut text = "cake ".to_owned();
            layout::print(LAYOUT.options, &fields, &mut text);
            assert_eq!(text.parse(), Ok(spec), "{words}: {text}");
        }
    }

    /// tc shows an overhead as one number, whatever words it is the sum of, and takes none above
    /// 256.
    #[test]
    fn a_sum_of_overheads_is_shown_as_a_number() {
        assert_eq!(options_of("overhead 256 ethernet").1["overhead"], 294);
    }
}
