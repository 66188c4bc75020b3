//! In which order flows, hosts and tins are served.

use units::Rng;

use crate::support::{Address, Case, Udp, observe, order, replay};

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
const TINS: [&str; 5] = ["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"];

/// Up to six flows of up to three hosts at either side, with a backlog each, and all code points.
///
/// The lengths of frames are multiples of 50, as are the quanta of up to three flows of a host. So
/// it does not matter that the kernel adds up to one byte at random to a quantum
/// (`cake_get_flow_quantum`).
fn backlogs(seed: u64, diffserv: bool) -> Vec<(u64, Vec<u8>)> {
    let mut rng = Rng::new(seed);
    let mut below = |end: u64| rng.next_u64() % end;
    let flows: Vec<_> = (0..2 + below(5) as u16)
        .map(|flow| Address {
            source: below(3) as u8,
            destination: below(3) as u8,
            port: 1000 + flow,
        })
        .collect();
    let mut packets = vec![(0, Udp { address: flows[0], traffic_class: 0, len: 1486 }.packet(1))];
    for id in 2..300 {
        let address = flows[below(flows.len() as u64) as usize];
        let dscp = if diffserv { below(64) as u8 } else { 0 };
        let len = 50 * (2 + below(29)) as u16 - 14;
        let packet = Udp { address, traffic_class: dscp << 2, len }.packet(id);
        packets.push((1_000_000, packet));
    }
    packets
}

/// The first packet keeps the shaper for 1.5 s. Meanwhile all others come and the rate changes, so
/// that the order of departure depends on no instant.
///
/// The kernel draws the key of its hashes for each queue, and two hosts of a case can fall into one
/// place of the table now and then (one of 1024 for each pair). So what differs is tried with other
/// keys.
#[test]
fn needs_qemu_order_is_the_same() {
    let mut cases: Vec<Case> = Vec::new();
    for (seed, isolation) in (1..).zip(ISOLATIONS) {
        for tins in TINS {
            let options = format!("{tins} {isolation} rtt 1000s memlimit 64mb");
            let name = format!("{isolation}-{tins}");
            let schedule = backlogs(seed, tins != "besteffort");
            let case = Case::new(name, format!("cake bandwidth 8kbit {options}"), schedule);
            cases.push(Case { change_to: Some(format!("cake bandwidth 8mbit {options}")), ..case });
        }
    }
    let differing = differences(&cases);
    cases.retain(|case| differing.iter().any(|other| other.name == case.name));
    assert!(cases.len() <= 2, "the order differs: {differing:?}");
    assert_eq!(differences(&cases), [], "the order differs with other keys, too");
}

/// A case in which the kernel's order of departure is not ours.
#[derive(Debug, PartialEq)]
struct Difference {
    name: String,
    /// The number of departures before the first that differs.
    first: usize,
}

fn differences(cases: &[Case]) -> Vec<Difference> {
    if cases.is_empty() {
        return Vec::new();
    }
    let difference = |(case, observed): (&Case, _)| {
        let ours = replay(&case.settings, &observed);
        assert_eq!(observed.departures.len(), case.schedule.len(), "{}", case.name);
        let (kernel, ours) = (order(&observed.departures), order(&ours.departures));
        let first = kernel.iter().zip(&ours).position(|(kernel, ours)| kernel != ours)?;
        Some(Difference { name: case.name.clone(), first })
    };
    cases.iter().zip(observe(cases)).filter_map(difference).collect()
}
