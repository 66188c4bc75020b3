//! Changes of the settings while packets wait.

use super::order::backlogs;
use crate::support::{Case, key_of_same_order, observe, replay_with_key};

/// Settings, and those to change to. A packet that waits keeps its tin, its queue and what the
/// shaper charges for it, unless the tin goes.
const CHANGES: [(&str, &str); 10] = [
    ("besteffort flows", "besteffort triple-isolate"),
    ("besteffort triple-isolate", "besteffort dual-srchost"),
    ("besteffort dual-dsthost", "besteffort flowblind"),
    ("besteffort flows", "diffserv4 flows"),
    ("diffserv8 flows", "diffserv3 flows"),
    ("diffserv4 flows fwmark 0x7", "precedence hosts"),
    ("diffserv4 flows nowash", "diffserv4 flows wash"),
    ("besteffort flows", "besteffort flows pppoe-llcsnap mpu 96"),
    ("besteffort flows", "besteffort flows memlimit 100kb"),
    ("besteffort flows", "besteffort flows rtt 20ms"),
];

/// The most that the kernel's timer is late, in nanoseconds.
const LATE: u64 = 100_000;

/// The first packet keeps the shaper for 1.5 s. Meanwhile the settings change, when half of the
/// others have come.
#[test]
fn needs_qemu_changes_do_the_same() {
    let case = |(seed, (from, to)): (u64, &(&str, &str))| {
        let from = format!("cake bandwidth 8kbit rtt 1000s memlimit 64mb {from}");
        let to = format!("cake bandwidth 8mbit {to}");
        Case::new(format!("change{seed}"), from, backlogs(seed, true)).changing(150, to)
    };
    let cases: Vec<_> = (100..).zip(&CHANGES).map(case).collect();
    let observed = observe(&cases);
    let key = key_of_same_order(&cases, &observed);
    for (case, observed) in cases.iter().zip(&observed) {
        let ours = replay_with_key(&case.settings, observed, key);
        let name = format!("{:?}", case.change);
        for (kernel, ours) in observed.departures.iter().zip(&ours.departures) {
            assert_eq!(kernel.traffic_class, ours.traffic_class, "{name}: packet {}", kernel.id);
            let late = kernel.nanos.checked_sub(ours.nanos);
            assert!(
                late.is_some_and(|late| late < LATE),
                "{name}: {late:?} ns late at {}",
                kernel.id
            );
        }
        // What the change itself discards is not counted.
        let dropped = ours.tally.dropped() - ours.tally.discarded.packets;
        assert_eq!(observed.shown[0]["drops"], dropped, "{name}");
    }
}
