//! CoDel, FQ-CoDel and PIE, behind which tbf(8) shapes to 10 Mbit/s.

use qdisc::AnyStats;
use units::{Bytes, Rate};

use crate::support::{
    Case, EVENTS, MEMORY, SENT, TokenBucket, Tolerance, observe, overload, replay_behind,
    sent_by_flow,
};

/// The settings of queues, spelt out, and what makes ours that of Linux.
const SETTINGS: [(&str, &str); 6] = [
    ("codel limit 1000 target 5ms interval 100ms", "variant linux"),
    ("codel limit 1000 target 5ms interval 100ms ecn", "variant linux"),
    (
        "fq_codel limit 10240 flows 1024 quantum 1514 target 5ms interval 100ms \
         memory_limit 32Mb ecn drop_batch 64",
        "variant linux overflow linux",
    ),
    (
        "fq_codel limit 300 flows 1024 quantum 300 target 5ms interval 50ms \
         memory_limit 32Mb noecn drop_batch 64",
        "variant linux overflow linux",
    ),
    ("pie limit 1000 target 15ms tupdate 16ms alpha 2 beta 20", "variant linux"),
    ("pie limit 1000 target 15ms tupdate 16ms alpha 2 beta 20 ecn", "variant linux"),
];

/// PIE's timer begins half a second after the queue is made.
const MAKE: &str = "tc qdisc add dev v0 root handle 1: tbf rate 10mbit burst 1600 limit 64mb
tc qdisc add dev v0 parent 1:1 handle 10: QUEUE
sleep 1
";

#[test]
fn needs_qemu_aqms_signal_alike() {
    let case = |(seed, (settings, _)): (u64, &(&str, &str))| Case {
        make: MAKE,
        ..Case::new(format!("aqm{seed}"), *settings, overload(seed))
    };
    let cases: Vec<_> = (0..).zip(&SETTINGS).map(case).collect();
    let variants = SETTINGS.iter().map(|(_, variant)| variant);
    for ((case, observed), variant) in cases.iter().zip(observe(&cases)).zip(variants) {
        let settings = format!("{} {variant}", case.settings);
        let bucket = TokenBucket::new(Rate::from_mbit(10), Bytes(1600));
        let ours = replay_behind(&settings, &observed, bucket);
        let queue = &observed.shown[1];
        let shown = |key: &str| queue[key].as_f64().unwrap_or_else(|| panic!("{settings}: {key}"));
        let same = |key, tolerance: Tolerance, ours: u64| {
            tolerance.check(&format!("{settings}: {key}"), shown(key), ours as f64);
        };
        same("drops", EVENTS, ours.tally.dropped());
        same("ecn_mark", EVENTS, ours.tally.marked);
        match ours.queue.stats(ours.end) {
            AnyStats::CoDel(stats) => {
                same("maxpacket", MEMORY, stats.maxpacket.0);
                same("drop_overlimit", EVENTS, ours.tally.overflowed);
            }
            AnyStats::FqCoDel(stats) => {
                same("maxpacket", MEMORY, stats.maxpacket.0);
                same("drop_overlimit", EVENTS, ours.tally.overflowed);
                same("new_flow_count", EVENTS, stats.new_flow_count);
            }
            AnyStats::Pie(stats) => {
                same("dropped", EVENTS, ours.tally.dropped_early);
                same("maxq", EVENTS, stats.maxq);
            }
            other => panic!("{other:?}"),
        }
        let flows = sent_by_flow(&case.schedule, &observed.departures);
        for (port, bytes) in sent_by_flow(&case.schedule, &ours.departures) {
            SENT.check(&format!("{settings}: bytes of flow {port}"), flows[&port], bytes);
        }
    }
}
