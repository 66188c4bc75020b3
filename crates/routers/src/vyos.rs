//! VyOS, whose words for CAKE differ between 1.4 and 1.5.
//!
//! Specification: vyos-1x, `interface-definitions/qos.xml.in` and `python/vyos/qos/cake.py`: c3f68865
//! of 1.4; of 1.5, d9d79684, where `flow-isolation` is one value and `flow-isolation-nat` a word of its
//! own (pull request 4173), and VyOS's documentation for `ack-filter` (pull request 4584). Neither has
//! overhead, code points, `wash` or `ingress`, so that CAKE has its own `diffserv3`. `1.9mbit` fails in
//! the rate converter of 1.4, so rates are whole kilobits.

mod interface;

use observation::Heading;
use remedy::{Prescription, Shaper};
use results::{CannotSay, Step, Tested};
use units::{Bytes, Rate, Span};

use crate::error::PlatformError;
use crate::readback;
use crate::written::{
    CONFIRM, DROPS_LATER, INGRESS, LOWER_RATE, OVERHEAD, Written, counted, lacks, lacks_fractions,
    rates, refused, whole_millis,
};

/// The releases whose words differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Release {
    V1_4,
    V1_5,
}

pub(crate) fn write(prescription: &Prescription, wan: &str, release: Release) -> Written {
    let interface = match interface::find(wan) {
        Ok(interface) if interface.redirects || prescription.down.is_err() => interface.path,
        Ok(_) => return refused(PlatformError::NoRedirect(wan.to_owned())),
        Err(why) => return refused(why),
    };
    let mut lines = String::new();
    let mut undo = String::new();
    for shaper in prescription.shapers() {
        let (policy, at) = match shaper.heading {
            Heading::Up => ("UNBLOAT-UP", wan),
            Heading::Down => ("UNBLOAT-DOWN", "ifb0"),
        };
        if shaper.heading == Heading::Down {
            lines += &format!("set interfaces input ifb0\nset {interface} redirect ifb0\n");
        }
        lines += &of_policy(shaper, policy, wan, release);
        lines += &format!("set qos interface {at} egress {policy}\n");
        undo += &match shaper.heading {
            // The interface may have a policy for what comes in, which stays.
            Heading::Up => format!("delete qos interface {wan} egress\n"),
            Heading::Down => format!(
                "delete qos interface ifb0\ndelete {interface} redirect\ndelete interfaces input ifb0\n"
            ),
        };
        undo += &format!("delete qos policy cake {policy}\n");
    }
    Written {
        tested: Tested::Parsed,
        rates: rates(prescription, |shaper| {
            shaper.planned(bandwidth(shaper, wan), Bytes(1500 + counted(wan)))
        }),
        steps: vec![
            Step::new(
                format!(
                    "See what is there. This plan replaces the egress policy of {wan}, its \
                     redirect, and ifb0. The last part of this plan does not bring them back:"
                ),
                "show configuration commands | grep -E 'qos interface|redirect|ifb0'",
            ),
            Step::new(
                format!(
                    "An earlier plan of unbloat is removed first. If there is none, VyOS says that there \
                     is nothing to delete, which is fine. If it is for another interface than {wan}, take \
                     it back first, by its own last part:"
                ),
                delete_earlier(&interface, wan),
            ),
            Step::new(
                format!(
                    "Paste this and nothing after it, because the last line asks whether to \
                     proceed. Unless you confirm the change, VyOS reboots after ten minutes and \
                     takes it back{}",
                    faulty_builds(prescription, release)
                ),
                format!("configure\n{lines}commit-confirm 10\n"),
            ),
            Step::new(CONFIRM, "confirm\nsave\nexit"),
        ],
        check: vec![
            Step::new(
                "The counters should move while the line is used:",
                "tc -s qdisc | grep -A 20 'qdisc cake'",
            ),
            Step::new("The settings:", "show configuration commands | grep -E 'UNBLOAT|ifb0'"),
        ],
        undo: vec![Step::new(
            "The interface gets back the system's own queue:",
            format!("configure\n{undo}commit\nsave\nexit\n"),
        )],
        cannot_say: cannot_say(prescription, release),
        ..Written::default()
    }
}

/// The builds that do not keep a policy beside a redirect, and how that shows, in the text of a step; only a
/// colon where there are none of that release.
fn faulty_builds(prescription: &Prescription, release: Release) -> &'static str {
    let is_both = prescription.up.is_ok() && prescription.down.is_ok();
    match release {
        // Pull requests 5073 (T8413) and 5351 (T9080).
        Release::V1_5 if is_both => {
            ". Some builds of early 2026 refuse a policy and a redirect at one interface (T8413), and some until \
             24 July 2026 lose the redirect without a word (T9080): then the counters of ifb0 do not move, and a \
             later build is needed:"
        }
        _ => ":",
    }
}

fn cannot_say(prescription: &Prescription, release: Release) -> Vec<CannotSay> {
    let mut cannot_say = vec![
        lacks(OVERHEAD, LOWER_RATE),
        lacks(INGRESS, DROPS_LATER),
        lacks(
            "what the code points of packets do (tins, wash)",
            "CAKE divides packets by them into three classes, and leaves them as they are",
        ),
    ];
    if prescription.shapers().any(|shaper| shaper.ack_filter) {
        cannot_say.push(match release {
            Release::V1_4 => lacks("ack-filter", "all acknowledgements are sent"),
            Release::V1_5 => lacks(
                "ack-filter before June 2025",
                "that line is refused there, and all acknowledgements are sent",
            ),
        });
    }
    cannot_say.extend(lacks_fractions(prescription, "CAKE"));
    cannot_say
}

/// The queues that VyOS makes of the plan: CAKE has its own defaults where VyOS has no words.
pub(crate) fn queues(prescription: &Prescription, wan: &str, release: Release) -> String {
    readback::lines(prescription, wan, |shaper| {
        let isolation = match shaper.heading {
            Heading::Up => "dual-srchost",
            Heading::Down => "dual-dsthost",
        };
        let filter = shaper.ack_filter && release == Release::V1_5;
        format!(
            "bandwidth {} diffserv3 {isolation} {} nowash {} egress rtt {} raw overhead 0",
            bandwidth(shaper, wan),
            if shaper.nat { "nat" } else { "nonat" },
            if filter { "ack-filter" } else { "no-ack-filter" },
            Span::from_millis(whole_millis(shaper.rtt)),
        )
    })
}

fn bandwidth(shaper: &Shaper, wan: &str) -> Rate {
    shaper.plain_bandwidth(counted(wan))
}

fn of_policy(shaper: &Shaper, policy: &str, wan: &str, release: Release) -> String {
    let node = format!("set qos policy cake {policy}");
    let isolation = match shaper.heading {
        Heading::Up => "dual-src-host",
        Heading::Down => "dual-dst-host",
    };
    let nat = match release {
        Release::V1_4 => "flow-isolation nat",
        Release::V1_5 => "flow-isolation-nat",
    };
    let kilobits = bandwidth(shaper, wan).bits_per_sec() / 1000;
    let mut lines = format!("{node} bandwidth {kilobits}kbit\n");
    lines += &format!("{node} rtt {}\n", whole_millis(shaper.rtt));
    lines += &format!("{node} flow-isolation {isolation}\n");
    if shaper.nat {
        lines += &format!("{node} {nat}\n");
    }
    if shaper.ack_filter && release == Release::V1_5 {
        lines += &format!("{node} ack-filter\n");
    }
    lines
}

/// The commands that remove what an earlier plan of ours has set. `delete` with a value leaves other
/// values alone.
fn delete_earlier(interface: &str, wan: &str) -> String {
    format!(
        "configure\ndelete qos interface {wan} egress UNBLOAT-UP\n\
         delete qos interface ifb0 egress UNBLOAT-DOWN\ndelete {interface} redirect ifb0\n\
         delete qos policy cake UNBLOAT-UP\ndelete qos policy cake UNBLOAT-DOWN\n\
         commit\nexit discard\n"
    )
}
