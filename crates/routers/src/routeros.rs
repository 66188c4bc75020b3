//! MikroTik RouterOS 7.
//!
//! Specification: MikroTik's documentation, "Queues" and "CAKE", and public configurations. The queue
//! is simple, its target the interface to the provider: what enters there is the target's upload, so
//! that the download comes first. Packets of FastTrack pass by.

use remedy::{Prescription, Shaper};
use results::{Step, Tested, WireCells};

use crate::written::{Written, lacks, rates};

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    let kilobits = |shaper: &Result<Shaper, _>| match shaper {
        Ok(shaper) => format!("{}k", shaper.bandwidth().bits_per_sec() / 1000),
        Err(_) => "0".to_owned(),
    };
    let name = |shaper: &Result<Shaper, _>, name: &str| match shaper {
        Ok(_) => name.to_owned(),
        Err(_) => "default-small".to_owned(),
    };
    let (up, down) = (&prescription.up, &prescription.down);
    let mut lines = String::new();
    for (shaper, name) in [(up, "unbloat-up"), (down, "unbloat-down")] {
        if let Ok(shaper) = shaper {
            lines += &kind(shaper, name);
        }
    }
    lines += &format!(
        "/queue simple add name=unbloat target={wan} max-limit={}/{} queue={}/{}\n",
        kilobits(down),
        kilobits(up),
        name(down, "unbloat-down"),
        name(up, "unbloat-up"),
    );
    Written {
        tested: Tested::Documentation,
        rates: rates(prescription, Shaper::planned_exactly),
        steps: vec![
            Step::new(
                "FastTrack passes by the queue. Disable its rules:",
                "/ip firewall filter disable [find action=fasttrack-connection]",
            ),
            Step::new("In Safe Mode (Ctrl-X), so that a lost connection takes it back:", lines),
        ],
        check: vec![Step::new(
            "The counters should move while the line is used:",
            "/queue simple print stats where name=unbloat",
        )],
        undo: vec![Step::new(
            "The queue goes, and FastTrack comes back:",
            "/queue simple remove [find name=unbloat]\n\
             /queue type remove [find name~\"^unbloat-\"]\n\
             /ip firewall filter enable [find action=fasttrack-connection]",
        )],
        cannot_say: vec![lacks(
            "ingress",
            "CAKE takes the download for an upload, and drops a little later",
        )],
    }
}

fn kind(shaper: &Shaper, name: &str) -> String {
    let isolation = match shaper.heading {
        observation::Heading::Up => "dual-srchost",
        observation::Heading::Down => "dual-dsthost",
    };
    let cells = match shaper.link.cells {
        WireCells::None => "none",
        WireCells::Atm => "atm",
        WireCells::Ptm => "ptm",
    };
    format!(
        "/queue type add name={name} kind=cake cake-diffserv={} cake-flowmode={isolation} \
         cake-nat={} cake-ack-filter={} cake-overhead={} cake-mpu={} cake-atm={cells} \
         cake-rtt={}ms\n",
        shaper.tins.cake(),
        if shaper.nat { "yes" } else { "no" },
        if shaper.ack_filter { "filter" } else { "none" },
        shaper.link.overhead,
        shaper.link.mpu,
        shaper.rtt.as_nanos() / 1_000_000,
    )
}
