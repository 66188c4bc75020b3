//! More traffic than the shaper lets through: drops, marks, and what each tin gets.

use qdisc::AnyStats;
use qdisc::disciplines::cake::{CakeStats, TinStats};
use serde_json::Value;

use crate::support::{
    Case, DELAY, EVENTS, KEYS, MEMORY, Outcome, SENT, median_sojourns, observe, overload,
    replay_with_key, sent_by_flow,
};

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
        let name = &case.settings;
        let ours: Vec<_> =
            KEYS.map(|key| replay_with_key(name, &observed.late(key), key)).collect();
        let sent = |departures: &[_]| sent_by_flow(&case.schedule, departures);
        let all: Vec<_> = ours.iter().map(|ours| sent(&ours.departures)).collect();
        for (port, bytes) in sent(&observed.departures) {
            let name = format!("{name}: bytes of flow {port}");
            SENT.check(&name, bytes, all.iter().map(|flows| flows[&port]));
        }
        let sojourns = |departures: &[_]| median_sojourns(&observed.arrivals, departures);
        let all: Vec<_> = ours.iter().map(|ours| sojourns(&ours.departures)).collect();
        for (port, micros) in sojourns(&observed.departures) {
            let name = format!("{name}: median sojourn of flow {port}");
            DELAY.check(&name, micros, all.iter().map(|flows| flows[&port]));
        }
        let all: Vec<_> = ours.iter().map(stats).collect();
        let (shown, ours) = (&observed.shown[0], &all[0]);
        assert_eq!(shown["memory_limit"], ours.memory_limit.0, "{name}");
        assert_eq!(shown["capacity_estimate"], ours.capacity_estimate, "{name}");
        let memory = all.iter().map(|ours| ours.memory_used.0 as f64);
        MEMORY.check(&format!("{name}: memory"), shown["memory_used"].as_f64().unwrap(), memory);
        let tins = shown["tins"].as_array().unwrap();
        assert_eq!(tins.len(), ours.tins.len(), "{name}");
        for (place, kernel) in tins.iter().enumerate() {
            let ours: Vec<_> = all.iter().map(|ours| ours.tins[place]).collect();
            compare(&format!("{name}: tin {place}"), kernel, &ours);
        }
    }
}

fn stats(ours: &Outcome) -> CakeStats {
    let AnyStats::Cake(stats) = ours.queue.stats(ours.end) else { panic!("cake") };
    stats
}

/// Compares a tin with ours of several keys.
fn compare(name: &str, kernel: &Value, all: &[TinStats]) {
    let (ours, micros) = (all[0], |span: units::Span| span.as_nanos() / 1000);
    for (key, ours) in [
        ("threshold_rate", ours.threshold_rate),
        ("target_us", micros(ours.target)),
        ("interval_us", micros(ours.interval)),
        ("flow_quantum", ours.flow_quantum),
        ("sent_packets", ours.sent_packets),
        ("sent_bytes", ours.sent_bytes.0),
        ("max_pkt_len", ours.max_pkt_len.0),
        ("backlog_bytes", ours.backlog_bytes.0),
        ("ack_drops", ours.ack_drops),
    ] {
        assert_eq!(kernel[key], ours, "{name}: {key}");
    }
    let events = |key: &str, figure: fn(&TinStats) -> u64| {
        let ours = all.iter().map(|ours| figure(ours) as f64);
        EVENTS.check(&format!("{name}: {key}"), kernel[key].as_f64().unwrap(), ours);
    };
    events("drops", |ours| ours.drops);
    events("ecn_mark", |ours| ours.ecn_mark);
}
