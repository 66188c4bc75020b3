//! More traffic than the shaper lets through: drops, marks, and what each tin gets.

use qdisc::AnyStats;
use qdisc::disciplines::cake::TinStats;
use serde_json::Value;

use crate::support::{Case, DELAY, EVENTS, MEMORY, SENT, observe, overload, replay, sent_by_flow};

/// The settings of the queues, each at 10 Mbit/s.
const SETTINGS: [&str; 8] = [
    "besteffort triple-isolate",
    "besteffort flowblind",
    "besteffort flows rtt 20ms ingress",
    "diffserv3 dual-srchost wash",
    "diffserv4 dual-dsthost pppoe-ptm ether-vlan mpu 68",
    "diffserv8 triple-isolate conservative",
    "precedence hosts",
    "besteffort flows memlimit 200kb",
];

#[test]
fn needs_qemu_overload_is_shared_alike() {
    let case = |(seed, settings): (u64, &&str)| {
        let settings = format!("cake bandwidth 10mbit {settings}");
        Case::new(format!("overload{seed}"), settings, overload(seed))
    };
    let cases: Vec<_> = (0..).zip(&SETTINGS).map(case).collect();
    for (case, observed) in cases.iter().zip(observe(&cases)) {
        let (name, ours) = (&case.settings, replay(&case.settings, &observed));
        let flows = sent_by_flow(&case.schedule, &observed.departures);
        for (port, bytes) in sent_by_flow(&case.schedule, &ours.departures) {
            SENT.check(&format!("{name}: bytes of flow {port}"), flows[&port], bytes);
        }
        let AnyStats::Cake(stats) = ours.queue.stats(ours.end) else { panic!("{name}") };
        let shown = &observed.shown[0];
        assert_eq!(shown["memory_limit"], stats.memory_limit.0, "{name}");
        assert_eq!(shown["capacity_estimate"], stats.capacity_estimate, "{name}");
        let memory = shown["memory_used"].as_f64().unwrap();
        MEMORY.check(&format!("{name}: memory"), memory, stats.memory_used.0 as f64);
        let tins = shown["tins"].as_array().unwrap();
        assert_eq!(tins.len(), stats.tins.len(), "{name}");
        for (place, (kernel, ours)) in tins.iter().zip(&stats.tins).enumerate() {
            compare(&format!("{name}: tin {place}"), kernel, ours);
        }
    }
}

fn compare(name: &str, kernel: &Value, ours: &TinStats) {
    let micros = |span: units::Span| span.as_nanos() / 1000;
    for (key, ours) in [
        ("threshold_rate", ours.threshold_rate),
        ("target_us", micros(ours.target)),
        ("interval_us", micros(ours.interval)),
        ("flow_quantum", ours.flow_quantum),
        ("sent_packets", ours.sent_packets),
        ("sent_bytes", ours.sent_bytes.0),
        ("way_indirect_hits", ours.way_indirect_hits.into()),
        ("way_misses", ours.way_misses.into()),
        ("way_collisions", ours.way_collisions.into()),
        ("max_pkt_len", ours.max_pkt_len.0),
        ("backlog_bytes", ours.backlog_bytes.0),
        ("ack_drops", ours.ack_drops),
    ] {
        assert_eq!(kernel[key], ours, "{name}: {key}");
    }
    for (key, tolerance, ours) in [
        ("drops", EVENTS, ours.drops),
        ("ecn_mark", EVENTS, ours.ecn_mark),
        ("peak_delay_us", DELAY, micros(ours.peak_delay)),
        ("avg_delay_us", DELAY, micros(ours.avg_delay)),
        ("base_delay_us", DELAY, micros(ours.base_delay)),
    ] {
        tolerance.check(&format!("{name}: {key}"), kernel[key].as_f64().unwrap(), ours as f64);
    }
}
