//! Ubiquiti EdgeOS: Smart Queue, which is HTB with FQ-CoDel.
//!
//! Specification: Ubiquiti's help, "EdgeRouter - Quality of Service (QoS)". Smart Queue ends hardware
//! offload for what it shapes.

use observation::Heading;
use remedy::{Prescription, Shaper};
use results::{CannotSay, Step, Tested};
use units::{Bytes, Rate};

use crate::written::{
    CONFIRM, Instead, LOWER_RATE, OVERHEAD, Written, counted, lacks, lacks_wishes, rates,
};

/// The line that removes our queue.
const DELETE: &str = "delete traffic-control smart-queue UNBLOAT\n";

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
                "An earlier plan of unbloat is removed first, for any interface. If there is none, EdgeOS \
                 says that there is nothing to delete, which is fine:",
                format!("configure\n{DELETE}commit\nexit discard\n"),
            ),
            Step::new(
                "Paste this and nothing after it, because the last line asks whether to proceed. \
                 Unless you confirm the change, EdgeOS reboots after ten minutes and takes it \
                 back:",
                format!("configure\n{lines}commit-confirm 10\n"),
            ),
            Step::new(CONFIRM, "confirm\nsave\nexit"),
        ],
        check: vec![
            Step::new("The counters should move while the line is used:", "show queueing"),
            Step::new("The settings:", "show configuration commands | grep smart-queue"),
        ],
        undo: vec![Step::new(
            "The interface gets back the system's own queue:",
            format!("configure\n{DELETE}commit\nsave\nexit"),
        )],
        cannot_say: cannot_say(prescription),
        ..Written::default()
    }
}

fn cannot_say(prescription: &Prescription) -> Vec<CannotSay> {
    let instead = Instead {
        tins: Some("all packets are alike, whatever their code points"),
        no_nat: Some("FQ-CoDel shares by connection, so addresses do not matter"),
        rtt: Some("FQ-CoDel expects 100 ms"),
    };
    let always = [
        lacks("CAKE", "FQ-CoDel keeps the delay short, and shares by connection, not by computer"),
        lacks(OVERHEAD, LOWER_RATE),
    ];
    always.into_iter().chain(lacks_wishes(prescription, instead)).collect()
}

fn bandwidth(shaper: &Shaper, wan: &str) -> Rate {
    shaper.plain_bandwidth(counted(wan))
}
