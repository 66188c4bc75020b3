//! Ubiquiti EdgeOS: Smart Queue, which is HTB with FQ-CoDel.
//!
//! Specification: Ubiquiti's help, "EdgeRouter - Quality of Service (QoS)". Smart Queue ends hardware
//! offload for what it shapes.

use observation::Heading;
use remedy::{Prescription, Shaper};
use results::{Step, Tested};
use units::{Bytes, Rate};

use crate::written::{LOWER_RATE, Written, counted, lacks, rates};

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    let node = "set traffic-control smart-queue UNBLOAT";
    let mut lines = format!("{node} wan-interface {wan}\n");
    for shaper in prescription.shapers() {
        let way = match shaper.heading {
            Heading::Up => "upload",
            Heading::Down => "download",
        };
        lines +=
            &format!("{node} {way} rate {}kbit\n", bandwidth(shaper, wan).bits_per_sec() / 1000);
    }
    Written {
        tested: Tested::Documentation,
        rates: rates(prescription, |shaper| {
            shaper.planned(bandwidth(shaper, wan), Bytes(1500 + counted(wan)))
        }),
        steps: vec![
            Step::new(
                "Taken back by itself after ten minutes, with a reboot, unless it is confirmed:",
                format!("configure\n{lines}commit-confirm 10\n"),
            ),
            Step::new("Test again, and if it is better, keep it:", "confirm\nsave\nexit"),
        ],
        check: vec![
            Step::new("The counters should move while the line is used:", "show queueing"),
            Step::new("The settings:", "show configuration commands | grep smart-queue"),
        ],
        undo: vec![Step::new(
            "The interface gets back the system's own queue:",
            "configure\ndelete traffic-control smart-queue UNBLOAT\ncommit\nsave\nexit",
        )],
        cannot_say: vec![
            lacks("CAKE", "FQ-CoDel keeps the delay short, and shares by connection, not by host"),
            lacks("overhead", LOWER_RATE),
        ],
        ..Written::default()
    }
}

fn bandwidth(shaper: &Shaper, wan: &str) -> Rate {
    shaper.plain_bandwidth(counted(wan))
}
