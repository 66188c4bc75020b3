//! In which order flows, hosts and tins are served.

use std::collections::BTreeSet;

use qdisc::AnyStats;
use units::Rng;

use crate::support::{
    Address, Case, Change, Fields, Observed, PLACES, TIME, Udp, Version, key_of_same_order,
    observe, order, replay_with_key,
};

/// How packets are divided among queues and hosts, and among tins.
const ISOLATIONS: [&str; 8] = [
    "flowblind",
    "srchost",
    "dsthost",
    "hosts",
    "flows",
    "dual-srchost",
    "dual-dsthost",
    "triple-isolate",
];
const TINS: [&str; 7] = [
    "besteffort",
    "precedence",
    "diffserv3",
    "diffserv4",
    "diffserv8",
    // The sender marks each packet with its port, so some flows name a tin and some do not.
    "diffserv4 fwmark 0x7",
    "diffserv8 fwmark 0x6",
];

/// Up to six flows of either version of IP, of up to six hosts at either side, with a backlog each,
/// and all code points.
///
/// The lengths of frames are multiples of 50, as are the quanta of up to three flows of a host. So
/// it does not matter that the kernel adds up to one byte at random to a quantum
/// (`cake_get_flow_quantum`).
pub(super) fn backlogs(seed: u64, diffserv: bool) -> Vec<(u64, Vec<u8>)> {
    let mut rng = Rng::new(seed);
    let mut below = |end: u64| rng.next_u64() % end;
    let flows: Vec<_> = (0..2 + below(5) as u16)
        .map(|flow| Address {
            version: if below(3) == 0 { Version::V6 } else { Version::V4 },
            source: below(3) as u8,
            destination: below(3) as u8,
            port: 1000 + flow,
        })
        .collect();
    let mut packets = vec![(0, Udp { address: flows[0], traffic_class: 0, len: 1486 }.packet(1))];
    for id in 2..300 {
        let address = flows[below(flows.len() as u64) as usize];
        let dscp = if diffserv { below(64) as u8 } else { 0 };
        let len = match 50 * (2 + below(29)) as u16 - 14 {
            // Lengths whose memory depends on the room for headers; see `traffic.rs`.
            len @ (136 | 636) => len + 50,
            len => len,
        };
        let packet = Udp { address, traffic_class: dscp << 2, len }.packet(id);
        packets.push((1_000_000, packet));
    }
    packets
}

/// The first packet keeps the shaper for 1.5 s. Meanwhile all others come and the rate changes, so
/// that the order of departure depends on no instant.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, isolation) in (1..).zip(ISOLATIONS) {
        for tins in TINS {
            let options = format!("{tins} {isolation} rtt 1000s memlimit 64mb");
            let name = format!("{isolation}-{}", tins.replace(' ', "-"));
            let schedule = backlogs(seed, tins != "besteffort");
            let case = Case::new(name, format!("cake bandwidth 8kbit {options}"), schedule);
            let after = case.schedule.len();
            cases.push(case.changing(after, format!("cake bandwidth 8mbit {options}")));
        }
    }
    cases
}

#[test]
fn needs_qemu_order_is_the_same() {
    let cases = cases();
    let observed = observe(&cases);
    let key = key_of_same_order(&cases, &observed);
    for (case, observed) in cases.iter().zip(&observed) {
        assert_eq!(observed.departures.len(), case.schedule.len(), "{}", case.name);
        compare_delays(case, observed, key);
    }
}

/// The moving averages of the delays in each tin, which depend on no chance since nothing is
/// dropped.
fn compare_delays(case: &Case, observed: &Observed, key: u64) {
    let ours = replay_with_key(&case.settings, observed, key);
    let AnyStats::Cake(stats) = ours.queue.stats(ours.end) else { panic!("{}", case.name) };
    let kernel = observed.shown[0]["tins"].as_array().unwrap();
    for (place, (kernel, ours)) in kernel.iter().zip(&stats.tins).enumerate() {
        for (key, ours) in [
            ("peak_delay_us", ours.peak_delay),
            ("avg_delay_us", ours.avg_delay),
            ("base_delay_us", ours.base_delay),
        ] {
            let (kernel, ours) = (kernel[key].as_f64().unwrap(), ours.as_nanos() as f64 / 1000.0);
            TIME.check(&format!("{}: tin {place}: {key}", case.name), kernel, [ours]);
        }
    }
}

/// Two hosts that have no bulk flow yet fall into one place of the table with one of 1024 keys, and
/// then share what one would get. So the order is another with the share of keys that the number of
/// pairs foretells.
#[test]
fn few_keys_change_the_order() {
    for (isolation, sides) in [
        ("flows", &[][..]),
        ("dual-dsthost", &[DESTINATION]),
        ("triple-isolate", &[SOURCE, DESTINATION]),
    ] {
        let name = format!("{isolation}-besteffort");
        let case = cases().into_iter().find(|case| case.name == name).unwrap();
        let pairs: usize = sides.iter().map(|side| pairs_of_hosts(&case.schedule, *side)).sum();
        let observed = undisturbed(&case);
        let order_with = |key| order(&replay_with_key(&case.settings, &observed, key).departures);
        let common = order_with(1);
        let others = (1..=4 * PLACES).filter(|key| order_with(*key) != common).count();
        let foretold = 4 * pairs;
        let is_likely = (foretold / 2..=foretold * 2).contains(&others);
        assert!(is_likely, "{isolation}: {others} keys of {} change the order", 4 * PLACES);
    }
}

/// The arrivals of a case and its change of rate at the times of its schedule, as a kernel would
/// have them that takes no time to send.
fn undisturbed(case: &Case) -> Observed {
    let second = 1_000_000_000;
    let change = case.change.clone();
    let change =
        change.map(|(after, settings)| Change { after, nanos: second + 1_000_000, settings });
    let arrivals = case.schedule.iter().map(|(nanos, packet)| (second + nanos, packet.clone()));
    Observed { arrivals: arrivals.collect(), change, departures: Vec::new(), shown: Vec::new() }
}

/// The sides of a flow, as `Fields::hosts` names them.
const SOURCE: usize = 0;
const DESTINATION: usize = 1;

/// The number of pairs of hosts at one side.
fn pairs_of_hosts(schedule: &[(u64, Vec<u8>)], side: usize) -> usize {
    let hosts: BTreeSet<_> = schedule.iter().map(|it| Fields(&it.1).hosts()[side]).collect();
    hosts.len() * (hosts.len() - 1) / 2
}
