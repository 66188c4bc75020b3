//! The rate at which packets come, as `autorate-ingress` estimates it.

use qdisc::AnyStats;

use crate::support::{Address, Case, Tolerance, Udp, Version, observe, replay};

/// A rate in bytes per second. The kernel sees a packet some microseconds after it was sent.
const RATE: Tolerance = Tolerance { share: 0.01, least: 0.0 };

/// Bursts of four packets of one length, and the time from one to the next in nanoseconds, for some
/// seconds.
fn bursts(len: u16, gap: u64) -> Vec<(u64, Vec<u8>)> {
    let address = Address { version: Version::V4, source: 1, destination: 1, port: 1000 };
    let packet = |id| Udp { address, traffic_class: 0, len }.packet(id);
    (0..2000).map(|index| (u64::from(index / 4) * gap, packet(index + 1))).collect()
}

/// Rates above and below the one that was set.
#[test]
fn needs_qemu_the_rate_is_estimated_alike() {
    let case = |(index, (len, gap)): (usize, (u16, u64))| {
        let settings = "cake bandwidth 4mbit autorate-ingress besteffort flowblind";
        Case::new(format!("autorate{index}"), settings, bursts(len, gap))
    };
    let loads = [(1000, 4_000_000), (1000, 16_000_000), (300, 2_000_000), (1400, 1_500_000)];
    let cases: Vec<_> = loads.into_iter().enumerate().map(case).collect();
    for (case, observed) in cases.iter().zip(observe(&cases)) {
        let ours = replay(&case.settings, &observed);
        let AnyStats::Cake(stats) = ours.queue.stats(ours.end) else { panic!("{}", case.name) };
        let shown = &observed.shown[0];
        let estimate = shown["capacity_estimate"].as_f64().unwrap();
        assert!((estimate / 500_000.0 - 1.0).abs() > 0.1, "{}: not estimated", case.name);
        RATE.check(&format!("{}: estimate", case.name), estimate, [stats.capacity_estimate as f64]);
        let rate = shown["options"]["bandwidth"].as_f64().unwrap();
        RATE.check(&format!("{}: rate", case.name), rate, [stats.rate.unwrap() as f64]);
    }
}
