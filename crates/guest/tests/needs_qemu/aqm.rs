//! CoDel, FQ-CoDel and PIE, behind which tbf(8) shapes to 10 Mbit/s.

use qdisc::{AnyQdisc, AnyStats, Tally};
use units::{Bytes, Rate};

use crate::support::{
    Case, EVENTS, KEYS, MEMORY, Outcome, SENT, TokenBucket, Tolerance, observe, overload,
    replay_behind, sent_by_flow,
};

/// The settings of queues, spelt out, and what makes ours that of Linux.
///
/// The program that sends names the queue of each flow to fq_codel, ours hashes: with 65,536 queues two
/// of twelve flows share one with a key in a thousand. Where packets overflow, fq_codel looks through
/// all queues each time, so that it has 8192 there.
const SETTINGS: [(&str, &str); 6] = [
    ("codel limit 1000 target 5ms interval 100ms", "variant linux"),
    ("codel limit 1000 target 5ms interval 100ms ecn", "variant linux"),
    (
        "fq_codel limit 10240 flows 65536 quantum 1514 target 5ms interval 100ms \
         memory_limit 32Mb ecn drop_batch 64",
        "variant linux overflow linux",
    ),
    (
        "fq_codel limit 300 flows 8192 quantum 300 target 5ms interval 50ms \
         memory_limit 32Mb noecn drop_batch 64",
        "variant linux overflow linux",
    ),
    ("pie limit 1000 target 15ms tupdate 16ms alpha 2 beta 20", "variant linux"),
    ("pie limit 1000 target 15ms tupdate 16ms alpha 2 beta 20 ecn", "variant linux"),
];

/// Settings, those to change to in the middle of the traffic, and what makes ours those of Linux.
const CHANGES: [(&str, &str, &str); 4] = [
    (
        "codel limit 1000 target 5ms interval 100ms ecn",
        "codel limit 30 target 20ms interval 40ms noecn",
        "variant linux",
    ),
    (
        "codel limit 30 target 50ms interval 200ms",
        "codel limit 1000 target 2ms interval 20ms ecn",
        "variant linux",
    ),
    (
        "fq_codel limit 10240 flows 65536 quantum 1514 target 50ms interval 500ms \
         memory_limit 32Mb ecn drop_batch 64",
        "fq_codel limit 100 quantum 300 target 2ms interval 20ms \
         memory_limit 32Mb noecn drop_batch 16",
        "variant linux overflow linux",
    ),
    (
        "fq_codel limit 100 flows 8192 quantum 300 target 5ms interval 100ms \
         memory_limit 32Mb noecn drop_batch 64",
        "fq_codel limit 10240 quantum 1514 target 20ms interval 100ms \
         memory_limit 32Mb ecn drop_batch 64",
        "variant linux overflow linux",
    ),
];

const ABOVE: &str = "tc qdisc add dev v0 root handle 1: tbf rate 10mbit burst 1600 limit 64mb";

/// A case with these settings, as the only queue below the shaper.
fn below_shaper(name: String, settings: &str, schedule: Vec<(u64, Vec<u8>)>) -> Case {
    let place = "parent 1:1 handle 10:";
    Case { above: ABOVE, place, ..Case::new(name, settings, schedule) }
}

#[test]
fn needs_qemu_aqms_signal_alike() {
    let case = |(seed, (settings, variant)): (u64, &(&str, &'static str))| {
        (below_shaper(format!("aqm{seed}"), settings, overload(seed)), *variant)
    };
    compare((0..).zip(&SETTINGS).map(case).unzip());
}

#[test]
fn needs_qemu_aqms_change_alike() {
    let case = |(seed, (from, to, variant)): (u64, &(&str, &str, &'static str))| {
        let schedule = overload(seed);
        let half = schedule.len() / 2;
        let case = below_shaper(format!("change{seed}"), from, schedule);
        (case.changing(half, *to), *variant)
    };
    compare((20..).zip(&CHANGES).map(case).unzip());
}

/// Compares what the kernel shows of each case with ours, whose settings have the variant besides.
fn compare((cases, variants): (Vec<Case>, Vec<&str>)) {
    for ((case, observed), variant) in cases.iter().zip(observe(&cases)).zip(variants) {
        let settings = format!("{} {variant}", case.settings);
        let replay = |key| {
            let bucket = TokenBucket::new(Rate::from_mbit(10), Bytes(1600));
            replay_behind(&settings, &observed.late(key), key, bucket)
        };
        let ours: Vec<_> = KEYS.map(replay).collect();
        let queue = &observed.shown[1];
        let same = |key: &str, tolerance: Tolerance, figure: &dyn Fn(&Outcome) -> u64| {
            let kernel = queue[key].as_f64().unwrap_or_else(|| panic!("{settings}: {key}"));
            let ours = ours.iter().map(|ours| figure(ours) as f64);
            tolerance.check(&format!("{settings}: {key}"), kernel, ours);
        };
        same("drops", EVENTS, &dropped);
        same("ecn_mark", EVENTS, &|ours| ours.tally.marked);
        // PIE has another word for it.
        if !queue["drop_overlimit"].is_null() {
            same("drop_overlimit", EVENTS, &|ours| ours.tally.overflowed);
        }
        match ours[0].queue {
            AnyQdisc::CoDel(_) => same("maxpacket", MEMORY, &longest_packet),
            AnyQdisc::FqCoDel(_) => {
                same("maxpacket", MEMORY, &longest_packet);
                same("new_flow_count", EVENTS, &new_flows);
            }
            AnyQdisc::Pie(_) => {
                same("dropped", EVENTS, &|ours| ours.tally.dropped_early + ours.tally.overflowed);
                same("maxq", EVENTS, &most_packets);
            }
            _ => panic!("{settings}"),
        }
        let sent = |departures: &[_]| sent_by_flow(&case.schedule, departures);
        let all: Vec<_> = ours.iter().map(|ours| sent(&ours.departures)).collect();
        for (port, bytes) in sent(&observed.departures) {
            let name = format!("{settings}: bytes of flow {port}");
            SENT.check(&name, bytes, all.iter().map(|flows| flows[&port]));
        }
    }
}

/// The longest packet that CoDel or FQ-CoDel had.
fn longest_packet(ours: &Outcome) -> u64 {
    match ours.queue.stats(ours.end) {
        AnyStats::CoDel(stats) => stats.maxpacket.0,
        AnyStats::FqCoDel(stats) => stats.maxpacket.0,
        other => panic!("{other:?}"),
    }
}

/// How often a flow of FQ-CoDel was new.
fn new_flows(ours: &Outcome) -> u64 {
    let AnyStats::FqCoDel(stats) = ours.queue.stats(ours.end) else { panic!("fq_codel") };
    stats.new_flow_count
}

/// The most packets that waited in PIE.
fn most_packets(ours: &Outcome) -> u64 {
    let AnyStats::Pie(stats) = ours.queue.stats(ours.end) else { panic!("pie") };
    stats.maxq
}

/// The packets that Linux counts as dropped: fq_codel counts what a change discards as sent.
fn dropped(ours: &Outcome) -> u64 {
    let Tally { discarded, .. } = ours.tally;
    let is_sent = matches!(ours.queue, AnyQdisc::FqCoDel(_));
    ours.tally.dropped() - if is_sent { discarded.packets } else { 0 }
}
