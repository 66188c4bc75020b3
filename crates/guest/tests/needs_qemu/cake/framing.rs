//! What the shaper charges for packets of each size under each link layer.

use qdisc::AnyStats;

use crate::support::{Address, Case, Udp, Version, observe, order, replay};

/// The words for a link's framing, each alone and some together.
const FRAMINGS: [&str; 26] = [
    "",
    "raw",
    "conservative",
    "ethernet",
    "ether-vlan",
    "docsis",
    "pppoe-ptm",
    "bridged-ptm",
    "pppoa-vcmux",
    "pppoa-llc",
    "pppoe-vcmux",
    "pppoe-llcsnap",
    "bridged-vcmux",
    "bridged-llcsnap",
    "ipoa-vcmux",
    "ipoa-llcsnap",
    "atm",
    "ptm",
    "noatm",
    "overhead 44 atm mpu 100",
    "mpu 68",
    "pppoe-ptm ether-vlan mpu 68",
    "overhead -20",
    "overhead -64 ptm",
    "overhead 256 atm mpu 256",
    "ethernet ether-vlan",
];

/// The time that a byte takes at 200 kbit/s, in nanoseconds.
const BYTE: u64 = 40_000;

/// The shaper's clock moves on by what it charges for a packet, so that each departure is a sum of
/// all charges before it: with a byte more or less in one, all packets after it would be that
/// byte's time late or early. The kernel's are some microseconds late, since its timer wakes it.
#[test]
fn needs_qemu_framing_is_the_same_to_the_byte() {
    let address = |version| Address { version, source: 1, destination: 1, port: 1000 };
    // Short and long packets by turns: 721 and the number of lengths have no common divisor.
    let lens = (0..1441).map(|index: u32| (60 + index * 721 % 1441) as u16);
    let packet = |(index, len): (usize, u16)| {
        let address = address([Version::V4, Version::V6][index % 2]);
        Udp { address, traffic_class: 0, len }.packet(index as u16 + 1)
    };
    // Always more than leaves, but no packet waits for the target of COBALT, 50 s.
    let schedule = lens.enumerate().map(|it| (it.0 as u64 * 20_000_000, packet(it)));
    let schedule: Vec<_> = schedule.collect();
    let case = |(index, framing): (usize, &&str)| {
        let settings = format!(
            "cake bandwidth 200kbit besteffort flowblind rtt 1000s memlimit 64mb {framing}"
        );
        Case::new(format!("framing{index}"), settings, schedule.clone())
    };
    let cases: Vec<_> = FRAMINGS.iter().enumerate().map(case).collect();
    for (case, observed) in cases.iter().zip(observe(&cases)) {
        let (name, ours) = (&case.settings, replay(&case.settings, &observed));
        assert!(
            order(&observed.departures) == order(&ours.departures),
            "{name}: not the same order"
        );
        for (kernel, ours) in observed.departures.iter().zip(&ours.departures) {
            let late = kernel.nanos.checked_sub(ours.nanos);
            let is_same = late.is_some_and(|late| late < BYTE);
            assert!(is_same, "{name}: {late:?} ns late at packet {}", kernel.id);
        }
        let shown = &observed.shown[0];
        let AnyStats::Cake(stats) = ours.queue.stats(ours.end) else { panic!("{name}") };
        let sizes = stats.sizes;
        for (key, value) in [
            ("min_network_size", sizes.min_network),
            ("max_network_size", sizes.max_network),
            ("min_adj_size", sizes.min_adjusted),
            ("max_adj_size", sizes.max_adjusted),
        ] {
            assert_eq!(shown[key], value, "{name}: {key}");
        }
    }
}
