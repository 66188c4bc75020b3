//! OPNsense, whose shaper is FreeBSD's dummynet with FQ-CoDel.
//!
//! Specification: OPNsense's documentation, "Fighting Bufferbloat with FQ_CoDel", and the template
//! `OPNsense/IPFW/dnctl.conf`. It has no way back by itself (requests 3042 and 3695).

use observation::Heading;
use remedy::{Prescription, Shaper};
use results::{Step, Tested};
use units::{Bytes, Rate};

use crate::written::{LOWER_RATE, Written, lacks, rates};

/// The bytes that dummynet counts of a packet beyond the IP packet: it sees packets of IP.
const COUNTED: u64 = 0;

pub(crate) fn write(prescription: &Prescription, _wan: &str) -> Written {
    let steps: String = prescription.shapers().map(settings).collect();
    Written {
        tested: Tested::Documentation,
        rates: rates(prescription, |shaper| {
            shaper.planned(bandwidth(shaper), Bytes(1500 + COUNTED))
        }),
        steps: vec![
            Step::new(
                "System > Configuration > Backups: download the configuration, as OPNsense does not go \
                 back by itself.",
                "",
            ),
            Step::new("Firewall > Shaper, then Apply:", steps),
        ],
        check: vec![Step::new(
            "In a shell, the counters should move while the line is used:",
            "dnctl sched show\ndnctl pipe show",
        )],
        undo: vec![Step::new(
            "Firewall > Shaper: delete the rules, queues and pipes that begin with unbloat, then Apply.",
            "",
        )],
        cannot_say: vec![
            lacks("CAKE", "FQ-CoDel keeps the delay short, and shares by connection, not by host"),
            lacks("overhead", LOWER_RATE),
        ],
    }
}

fn bandwidth(shaper: &Shaper) -> Rate {
    shaper.plain_bandwidth(COUNTED)
}

fn settings(shaper: &Shaper) -> String {
    let (name, direction, mask) = match shaper.heading {
        Heading::Up => ("unbloat-up", "out", "source"),
        Heading::Down => ("unbloat-down", "in", "destination"),
    };
    // CoDel's target holds at least one and a half packets (RFC 8289, section 4.4).
    let packet = Bytes(1514) / bandwidth(shaper);
    let target = (packet.as_nanos() * 3 / 2).div_ceil(1_000_000).max(5);
    let interval = shaper.rtt.as_nanos() / 1_000_000 + target - 5;
    format!(
        "Pipes  > add: bandwidth {} Kbit/s, scheduler FlowQueue-CoDel, ECN on, target {target}, \
         interval {interval}, quantum 300, limit 1000, flows 1024, description {name}\n\
         Queues > add: pipe {name}, weight 100, mask {mask}, ECN on, description {name}\n\
         Rules  > add: interface WAN, direction {direction}, protocol ip, target {name}, \
         description {name}\n",
        bandwidth(shaper).bits_per_sec() / 1000,
    )
}
