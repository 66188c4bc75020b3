//! `unbloat shape` beside a real `sch_cake`, and on devices of more kinds, in a guest of QEMU in virtual
//! time. The tests need QEMU and packages of Debian; see CONTRIBUTING.md.
#![cfg(target_os = "linux")]

#[path = "needs_qemu_shape/service.rs"]
mod service;
#[expect(dead_code, reason = "what else is asked of a guest is tested by `needs_qemu`")]
#[path = "needs_qemu/ward.rs"]
mod ward;

use guest::{Guest, Packages, Results};
use serde_json::Value;

/// The line that the scripts use.
const LINE: &str = include_str!("needs_qemu_shape/line.sh");

/// The packages with the kernel that can hand packets over.
fn packages() -> Packages {
    let packages = Packages::with_later_kernel(&ward::folder());
    packages.unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a script behind that of the line.
fn run(script: &str) -> Results {
    let packages = packages();
    let guest = ward::with_program(Guest::new(&packages).unwrap());
    let results = guest.run(&format!("{LINE}\n{script}"));
    results.unwrap_or_else(|error| panic!("{error}"))
}

/// The part by which goodputs may differ: in four seconds, one loss earlier or later is nearly a percent.
const GOODPUT: f64 = 0.02;

/// The packets by which the longest of the pings may differ. A ping whose flow has just been served waits for
/// a turn of the load's flow, behind the packet on the wire; in both queues, some pings do.
const TAIL: f64 = 2.0;

/// A load, and the pings beside it.
#[derive(Debug)]
struct Load {
    /// The data that arrived, in Mbit/s.
    goodput: f64,
    /// The round trips in milliseconds, in order of length.
    pings: Vec<f64>,
    sent: usize,
}

impl Load {
    fn of(results: &Results, name: &str) -> Self {
        let text = |kind| String::from_utf8_lossy(&results[&format!("{name}.{kind}")]).into_owned();
        let samples = text("bytes");
        let numbers: Vec<f64> =
            samples.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let [begin, before, end, after] = numbers[..] else { panic!("{name}: {samples}") };
        let said = text("ping");
        // 64 bytes from 10.2.0.2: seq=0 ttl=63 time=20.123 ms
        let times = said.lines().filter_map(|line| line.split_once("time=")?.1.strip_suffix(" ms"));
        let mut pings: Vec<f64> = times.map(|time| time.parse().unwrap()).collect();
        pings.sort_by(f64::total_cmp);
        let sent = said.split_once(" packets transmitted").unwrap().0;
        let sent = sent.rsplit('\n').next().unwrap().parse().unwrap();
        Self { goodput: (after - before) * 8.0 / 1e6 / (end - begin), pings, sent }
    }

    /// The round trip than which this part of the pings were no longer.
    fn quantile(&self, part: f64) -> f64 {
        self.pings[((self.pings.len() - 1) as f64 * part) as usize]
    }

    fn told(&self) -> String {
        let [p50, p90, p99] = [0.5, 0.9, 0.99].map(|part| self.quantile(part));
        let answered = format!("{} of {}", self.pings.len(), self.sent);
        format!("{:.3} Mbit/s; {answered} pings: {p50:.2}, {p90:.2}, {p99:.2} ms", self.goodput)
    }
}

/// The same words to the kernel's queue and to ours give the same rate and the same delays.
#[test]
fn needs_qemu_shape_is_as_the_kernels_queue() {
    let results = run(include_str!("needs_qemu_shape/beside.sh"));
    let mut differ = Vec::new();
    for (rate, ways) in [(10, &["up", "down"][..]), (50, &["down"])] {
        let packet_ms = 1514.0 * 8e-3 / f64::from(rate);
        for way in ways {
            let of = |whose: &str| Load::of(&results, &format!("{whose}-{rate}mbit-{way}"));
            let (kernels, ours) = (of("kernel"), of("ours"));
            println!("{rate} Mbit/s {way}: kernel {}", kernels.told());
            println!("{rate} Mbit/s {way}: ours   {}", ours.told());
            let mut compare = |what: String, kernels: f64, ours: f64, tolerance: f64| {
                if (kernels - ours).abs() > tolerance {
                    differ.push(format!("{rate} Mbit/s {way}, {what}: {kernels} and {ours}"));
                }
            };
            let goodput = kernels.goodput;
            compare("goodput".into(), goodput, ours.goodput, goodput * GOODPUT);
            for (part, packets) in [(0.5, 0.0), (0.9, 0.0), (0.99, TAIL)] {
                let ping = kernels.quantile(part);
                let tolerance = f64::max(ping * 0.05, packets * packet_ms);
                compare(format!("ping {part}"), ping, ours.quantile(part), tolerance);
            }
            assert_eq!(ours.pings.len(), ours.sent, "no ping is lost");
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
}

/// VLANs, bonds, and the devices below them.
#[test]
fn needs_qemu_shape_works_on_vlans_and_bonds() {
    let results = run(include_str!("needs_qemu_shape/devices.sh"));
    for name in ["vlan-wan.5", "vlan-wan", "bond-bond0", "bond-wan"] {
        for way in ["up", "down"] {
            let load = Load::of(&results, &format!("{name}-{way}"));
            println!("{name} {way}: {}", load.told());
            // 1448 bytes of data in frames of 1514 bytes are 9.56 Mbit/s; the rest are drops and pings.
            assert!((9.2..9.6).contains(&load.goodput), "{name} {way}: {load:?}");
            assert!(load.quantile(0.9) < 40.0, "{name} {way}: {load:?}");
        }
        let status: Value = serde_json::from_slice(&results[&format!("{name}.status")]).unwrap();
        assert_eq!(status["state"], "shaping");
        for way in ["up", "down"] {
            assert!(status[way]["tc"]["packets"].as_u64().unwrap() > 1000, "{status}");
            assert_eq!(status[way]["lost_packets"], 0);
        }
    }
}

/// What IPsec has decrypted on the shaped interface is let in by its policies; and WireGuard without a
/// peer refuses packets, which is no reason to end.
#[test]
fn needs_qemu_shape_works_with_tunnels() {
    let results = run(include_str!("needs_qemu_shape/tunnels.sh"));
    for way in ["up", "down"] {
        let load = Load::of(&results, &format!("ipsec-{way}"));
        println!("ipsec {way}: {}", load.told());
        assert!((8.6..9.4).contains(&load.goodput), "{way}: {load:?}");
        assert!(load.pings.len() > load.sent * 9 / 10, "{way}: {load:?}");
    }
    let status = |name: &str| -> Value {
        serde_json::from_slice(&results[&format!("{name}.status")]).unwrap()
    };
    let ipsec = status("ipsec");
    // Each packet goes through the queue once, in its tunnel.
    let packets = |way: &str| ipsec[way]["tc"]["packets"].as_f64().unwrap();
    assert!((0.8..1.25).contains(&(packets("up") / packets("down"))), "{ipsec}");
    assert_eq!(status("wireguard")["state"], "shaping");
    assert!(status("wireguard")["up"]["tc"]["packets"].as_u64().unwrap() > 0);
}

/// The rates of the kernel's queues follow a line that gets slower, and are at the end what they were.
#[test]
fn needs_qemu_shape_rates_of_the_kernels_queues_follow() {
    let results = run(include_str!("needs_qemu_shape/autorate.sh"));
    let text = |name: &str| String::from_utf8_lossy(&results[name]).into_owned();
    for source in ["pings", "passing"] {
        let said = text(&format!("{source}.said"));
        let seconds = text(&format!("{source}.json"));
        let seconds: Vec<Value> =
            seconds.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let rates: Vec<f64> =
            seconds.iter().map(|it| it["down"]["rate_mbit"].as_f64().unwrap()).collect();
        println!("{source}: {rates:?}\n{said}");
        assert!(said.contains("ifb0 (down) follow"), "{said}");
        // The line carries 16 Mbit/s, and then 6.
        let fast = rates[..6].iter().copied().fold(0.0, f64::max);
        let slow = rates[rates.len() - 2];
        assert!((13.0..24.0).contains(&fast), "{source}: {rates:?}");
        assert!((3.5..8.0).contains(&slow), "{source}: {rates:?}");
        let pings = text(&format!("{source}.ping"));
        let times =
            pings.lines().filter_map(|line| line.split_once("time=")?.1.strip_suffix(" ms"));
        let mut times: Vec<f64> = times.map(|time| time.parse().unwrap()).collect();
        times.sort_by(f64::total_cmp);
        println!("{source}: {times:?}");
        assert!(times[times.len() / 2] < 20.0 + 30.0, "{source}: {times:?}");
        let after: Value = serde_json::from_str(&text(&format!("{source}.after"))).unwrap();
        assert_eq!(after[0]["options"]["bandwidth"], 10_000_000 / 8, "{after}");
    }
    assert!(text("refused").contains("lan"), "{}", text("refused"));
    follow_devices_that_are_made_again(text);
}

/// While a queue is away there are no rates; afterwards they follow the new queue, and the new interface.
fn follow_devices_that_are_made_again(text: impl Fn(&str) -> String) {
    let said = text("again.said");
    for words in ["is gone; waiting for it", "it is there again"] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(text("again.metrics"), "2\n0\n2\n", "{said}");
    let numbers: Vec<usize> =
        text("again.lines").split_whitespace().map(|number| number.parse().unwrap()).collect();
    assert!(numbers[1] >= numbers[0] + 2, "{numbers:?}");
    let seconds = text("again.json");
    let last: Value = serde_json::from_str(seconds.lines().last().unwrap()).unwrap();
    assert!(last["blind"].is_null(), "the reflector answers on the new interface: {last}");
}
