//! Which acknowledgements the filter drops.

use units::Rng;

use crate::support::{Address, Case, Udp, Version, observe, order, replay};

/// Flags and reserved bits: mostly ACK alone, with the echo of a congestion signal, or with CWR.
const FLAGS: [u16; 32] = [
    0x018, 0x012, 0x011, 0x014, 0x030, 0x110, 0x000, 0x090, 0x050, 0x050, 0x050, 0x050, 0x0d0,
    0x010, 0x010, 0x010, 0x010, 0x010, 0x010, 0x010, 0x010, 0x010, 0x010, 0x010, 0x010, 0x010,
    0x010, 0x010, 0x010, 0x010, 0x010, 0x010,
];

/// Options besides SACK and timestamps, some of them damaged, padded to whole words.
const ODD: [[u8; 4]; 10] = [
    [2, 4, 5, 180],
    [1, 3, 3, 7],
    [4, 2, 0, 0],
    [254, 3, 1, 1],
    [30, 200, 1, 1],
    [0, 7, 7, 7],
    [8, 4, 1, 1],
    [5, 4, 1, 1],
    [19, 4, 1, 1],
    [1, 1, 1, 1],
];

const FLOWS: u16 = 100;
/// Segments of a flow.
const SEGMENTS: u16 = 15;

fn choose<T: Copy, const COUNT: usize>(rng: &mut Rng, from: [T; COUNT]) -> T {
    from[(rng.next_u64() % COUNT as u64) as usize]
}

/// The options of a segment, in whole words. Half of the flows have timestamps, two thirds SACK.
fn options(rng: &mut Rng, flow: u16, round: u16, ack: u32) -> Vec<u8> {
    let mut options = Vec::new();
    if flow.is_multiple_of(2) {
        // The clocks pass zero.
        let clock = (u32::MAX - 5).wrapping_add(u32::from(round));
        options.extend([1, 1, 8, 10]);
        options.extend(clock.wrapping_add(choose(rng, [0, 0, 0, 0, 2])).to_be_bytes());
        options.extend(clock.wrapping_add(choose(rng, [0, 0, 0, 0, 2])).to_be_bytes());
    }
    let blocks = if flow.is_multiple_of(3) { 0 } else { choose(rng, [0, 0, 1, 1, 2, 3]) };
    if blocks > 0 {
        options.extend([1, 1, 5, 2 + 8 * blocks]);
    }
    for _ in 0..blocks {
        // Some repeat what is acknowledged, and some are empty.
        let start = ack.wrapping_add(choose(rng, [0, 1000, 2000, 3000, u32::MAX - 999]));
        options.extend(start.to_be_bytes());
        options.extend(start.wrapping_add(choose(rng, [0, 1000, 2000, 3000])).to_be_bytes());
    }
    if choose(rng, [true, false, false, false, false, false, false, false]) {
        options.extend(choose(rng, ODD));
    }
    options
}

/// Segments of many flows, most of them acknowledgements without data that move forward.
fn segments(seed: u64) -> Vec<(u64, Vec<u8>)> {
    let mut rng = Rng::new(seed);
    let first = Address { version: Version::V4, source: 250, destination: 250, port: 1 };
    let mut packets = vec![(0, Udp { address: first, traffic_class: 0, len: 1486 }.packet(1))];
    let mut acks = [u32::MAX - 4000; FLOWS as usize];
    for round in 0..SEGMENTS {
        for (flow, latest) in (0..FLOWS).zip(&mut acks) {
            let steps = [0, 1000, 1000, 1000, 1000, 2000, u32::MAX - 999];
            *latest = latest.wrapping_add(choose(&mut rng, steps));
            let options = options(&mut rng, flow, round, *latest);
            let flags = choose(&mut rng, FLAGS);
            let payload = choose(&mut rng, [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            let version = [Version::V4, Version::V4, Version::V6][usize::from(flow / 6) % 3];
            let address = Address { version, source: 1, destination: 1, port: 1000 + flow };
            let id = 2 + round * FLOWS + flow;
            packets.push((1_000_000, address.segment(id, flags, *latest, &options, payload)));
        }
    }
    packets
}

/// The first packet keeps the shaper for 1.5 s, in which all others come.
#[test]
fn needs_qemu_ack_filter_drops_the_same() {
    let mut cases = Vec::new();
    for filter in ["no-ack-filter", "ack-filter", "ack-filter-aggressive"] {
        for seed in 0..3 {
            let options = format!("besteffort flows {filter} rtt 1000s memlimit 64mb");
            let (name, schedule) = (format!("{filter}-{seed}"), segments(seed));
            let case = Case::new(name, format!("cake bandwidth 8kbit {options}"), schedule);
            let after = case.schedule.len();
            cases.push(case.changing(after, format!("cake bandwidth 8mbit {options}")));
        }
    }
    for (case, observed) in cases.iter().zip(observe(&cases)) {
        let ours = replay(&case.settings, &observed);
        let (mut left, mut left_ours) = (order(&observed.departures), order(&ours.departures));
        left.sort_unstable();
        left_ours.sort_unstable();
        let differs =
            |id: &u16| left.binary_search(id).is_ok() != left_ours.binary_search(id).is_ok();
        let first = (1..=FLOWS * SEGMENTS + 1).find(differs);
        assert_eq!(first, None, "{}: the first segment with another fate", case.name);
        let dropped = (case.schedule.len() - left.len()) as u64;
        assert_eq!(observed.shown[0]["tins"][0]["ack_drops"], dropped, "{}", case.name);
        assert_eq!(dropped == 0, case.name.starts_with("no-"), "{}: {dropped} dropped", case.name);
    }
}
