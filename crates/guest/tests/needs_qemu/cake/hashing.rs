//! How flows find their queues: 8-way set-associative hashing, and its counters.

use std::ops::RangeInclusive;

use qdisc::AnyStats;
use qdisc::disciplines::cake::TinStats;

use crate::support::{Address, Case, EVENTS, Udp, Version, observe, replay_with_key};

/// Numbers of flows for 1024 queues: with the first no set of eight is full, with the last all are.
const FLOWS: [u16; 3] = [100, 600, 1500];

/// The keys of ours: more than elsewhere, since flows of a full set push each other out, so that few
/// sets make most collisions. Of 600 flows 25 meet in the mean of 8000 keys, 54 or more with some keys
/// in a hundred and 117 with one; of 1500 flows 1190 to 1369. So it is 1500 that show a collision that is
/// not counted, or is counted twice.
const KEYS: RangeInclusive<u64> = 1..=256;

/// A packet of each flow, and another one while the first waits. The shaper lets none pass before
/// all have come.
fn two_of_each(flows: u16) -> Vec<(u64, Vec<u8>)> {
    let ports: RangeInclusive<u16> = 1..=flows;
    let packet = |(id, port)| {
        let address = Address { version: Version::V4, source: 1, destination: 1, port };
        (0, Udp { address, traffic_class: 0, len: 86 }.packet(id))
    };
    (1..).zip(ports.clone().chain(ports)).map(packet).collect()
}

/// Which flows share a place depends on the key of hashes, how many do hardly.
#[test]
fn needs_qemu_flows_find_queues_alike() {
    let case = |flows| {
        let settings = "cake bandwidth 8kbit besteffort flows rtt 1000s memlimit 64mb";
        let case = Case::new(format!("hashing{flows}"), settings, two_of_each(flows));
        let after = case.schedule.len();
        case.changing(after, "cake bandwidth 80mbit")
    };
    let cases = FLOWS.map(case);
    for (case, observed) in cases.iter().zip(observe(&cases)) {
        let ours = KEYS.map(|key| {
            let ours = replay_with_key(&case.settings, &observed, key);
            let AnyStats::Cake(stats) = ours.queue.stats(ours.end) else { panic!("cake") };
            stats.tins[0]
        });
        let ours: Vec<_> = ours.collect();
        let same = |key: &str, figure: fn(&TinStats) -> u32| {
            let kernel = observed.shown[0]["tins"][0][key].as_f64().unwrap();
            let ours = ours.iter().map(|tin| figure(tin).into());
            EVENTS.check(&format!("{}: {key}", case.name), kernel, ours);
        };
        same("way_indirect_hits", |tin| tin.way_indirect_hits);
        same("way_misses", |tin| tin.way_misses);
        same("way_collisions", |tin| tin.way_collisions);
    }
}
