//! OPNsense, whose shaper is FreeBSD's dummynet with FQ-CoDel.
//!
//! Specification: OPNsense's documentation, "Fighting Bufferbloat with FQ_CoDel", and of its core
//! f95e8151 the template `OPNsense/Shaper/dnctl.conf` and the model `TrafficShaper.xml`. It has no way back by itself (requests 3042 and 3695).

use observation::Heading;
use remedy::{Prescription, Shaper};
use results::{CannotSay, Step, Tested};
use units::{Bytes, Rate};

use crate::readback::Settings;
use crate::written::{
    Instead, LOWER_RATE, OVERHEAD, Written, lacks, lacks_fractions, lacks_wan, lacks_wishes, rates,
    whole_millis,
};

/// The bytes that dummynet counts of a packet beyond the IP packet: it sees packets of IP.
const COUNTED: u64 = 0;

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    let steps: String = prescription.shapers().map(settings).collect();
    Written {
        tested: Tested::Parsed,
        rates: rates(prescription, |shaper| {
            shaper.planned(bandwidth(shaper), Bytes(1500 + COUNTED))
        }),
        steps: vec![
            Step::new(
                "System > Configuration > Backups: download the configuration. OPNsense does not take a change \
                 back by itself.",
                "",
            ),
            Step::new(
                "Firewall > Shaper: if there is an earlier plan of unbloat, delete its rules, queues and pipes, \
                 whose names begin with unbloat.",
                "",
            ),
            Step::new(
                "Firewall > Shaper, in advanced mode. Add these, a line each, and press Apply. Leave all else \
                 empty, and before OPNsense 25.7.8 the limit too: there FQ-CoDel writes a line to the log for each \
                 packet beyond it, which keeps the processor busy:",
                steps,
            ),
        ],
        check: vec![Step::new(
            "In a shell, the counters should move while the line is used:",
            "dnctl sched show\ndnctl pipe show",
        )],
        undo: vec![Step::new(
            "Firewall > Shaper: delete the rules, queues and pipes whose names begin with unbloat, then Apply.",
            "",
        )],
        cannot_say: cannot_say(prescription, wan),
        ..Written::default()
    }
}

fn cannot_say(prescription: &Prescription, wan: &str) -> Vec<CannotSay> {
    let instead = Instead {
        tins: Some("all packets are alike, whatever their code points"),
        no_nat: Some("FQ-CoDel shares by connection, so addresses do not matter"),
        rtt: None,
    };
    let always = [
        lacks("CAKE", "FQ-CoDel keeps the delay short, and shares by connection, not by computer"),
        lacks(OVERHEAD, LOWER_RATE),
    ];
    let wan = lacks_wan(
        wan,
        "the rules are for the interface that OPNsense calls WAN; choose another there",
    );
    let rtt = lacks_fractions(prescription, "FQ-CoDel");
    always.into_iter().chain(lacks_wishes(prescription, instead)).chain(wan).chain(rtt).collect()
}

fn bandwidth(shaper: &Shaper) -> Rate {
    shaper.plain_bandwidth(COUNTED)
}

fn settings(shaper: &Shaper) -> String {
    let (name, direction) = match shaper.heading {
        Heading::Up => ("unbloat-up", "out"),
        Heading::Down => ("unbloat-down", "in"),
    };
    let [target, interval] = target_and_interval(shaper);
    // OPNsense's documentation, "Fighting Bufferbloat with FQ_CoDel", "quantum".
    let quantum = if bandwidth(shaper) < Rate::from_mbit(100) { 300 } else { 1500 };
    format!(
        "Pipes  > add: bandwidth {} Kbit/s, scheduler FlowQueue-CoDel, ECN on, target {target}, \
         interval {interval}, quantum {quantum}, limit 1000, flows 1024, description {name}\n\
         Queues > add: pipe {name}, weight 100, description {name}\n\
         Rules  > add: interface WAN, direction {direction}, protocol ip, target {name}, \
         description {name}\n",
        bandwidth(shaper).bits_per_sec() / 1000,
    )
}

/// CoDel's target and interval in milliseconds. FQ-CoDel takes whole ones.
fn target_and_interval(shaper: &Shaper) -> [u64; 2] {
    // CoDel's target holds at least one and a half packets (RFC 8289, section 4.4).
    let packet = Bytes(1514) / bandwidth(shaper);
    let packets = (packet.as_nanos() * 3 / 2).div_ceil(1_000_000);
    let rtt = whole_millis(shaper.rtt);
    // A target above half of the interval would be longer than what CoDel waits for.
    let target = (rtt / 2).clamp(1, 5).max(packets);
    [target, (rtt + target.saturating_sub(5)).max(2 * target)]
}

/// Reads the pipes, from the words of a plan and from what `dnctl sched show` prints (FreeBSD's
/// `sbin/ipfw/dummynet.c`, `list_pipes` and `get_extra_parms`). A pipe is known by its rate.
pub(crate) fn read(text: &str) -> Option<Settings> {
    let mut settings = Settings::new();
    let mut rate = String::new();
    let mut is_known = false;
    for line in text.lines().map(str::trim) {
        let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let after = |name: &str| words.iter().skip_while(|word| **word != name).nth(1).copied();
        let is_pipe = words.first().is_some_and(|word| {
            word.strip_suffix(':').is_some_and(|number| number.parse::<u32>().is_ok())
        });
        let shown_rate = if is_pipe { words.get(1..3) } else { None };
        let planned_rate = after("bandwidth").zip(after("bandwidth").and_then(after));
        if let Some([number, unit]) = shown_rate {
            (rate, is_known) = (plain_rate(number, unit), true);
        } else if let Some((number, unit)) = planned_rate {
            (rate, is_known) = (plain_rate(number, unit), true);
        }
        let is_scheduler = words.contains(&"FQ_CODEL") || words.contains(&"FlowQueue-CoDel");
        if !is_scheduler || after("target").is_none() {
            continue;
        }
        let ecn = words.contains(&"ECN");
        let numbers = ["target", "interval", "quantum", "limit", "flows"]
            .map(|name| (name, after(name).unwrap_or_default().trim_end_matches("ms").to_owned()));
        let all = numbers.into_iter().chain([("ECN", if ecn { "on" } else { "off" }.to_owned())]);
        settings.extend(all.map(|(name, value)| (format!("pipe of {rate}: {name}"), value)));
    }
    is_known.then_some(settings)
}

/// A rate as we write it: `9.040 Mbit/s` and `9040 Kbit/s` are `9.04mbit`.
fn plain_rate(number: &str, unit: &str) -> String {
    let rate = format!("{number}{}", unit.trim_end_matches("/s").to_lowercase()).parse::<Rate>();
    rate.map_or_else(|_| format!("{number} {unit}"), |rate| rate.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `dnctl sched show` prints, by FreeBSD's source.
    const SHOWN: &str = "10000:   9.040 Mbit/s    0 ms burst 0 \n\
        q75536  50 sl. 0 flows (1 buckets) sched 10000 weight 0 lmax 0 pri 0 droptail\n \
        sched 10000 type FQ_CODEL flags 0x0 0 buckets 1 active\n \
        FQ_CODEL target 5ms interval 100ms quantum 300 limit 1000 flows 1024 ECN\n   \
        Children flowsets: 10000 \n";

    #[test]
    fn pipes_are_read_as_they_are_planned() {
        let planned = "Pipes  > add: bandwidth 9040 Kbit/s, scheduler FlowQueue-CoDel, ECN on, target 5, \
                       interval 100, quantum 300, limit 1000, flows 1024, description unbloat-up\n";
        let planned = read(planned).unwrap();
        assert_eq!(planned.len(), 6);
        assert_eq!(planned[0], ("pipe of 9.04mbit: target".to_owned(), "5".to_owned()));
        assert_eq!(read(SHOWN), Some(planned.clone()));
        assert_ne!(read(&SHOWN.replace(" ECN", " NoECN")), Some(planned));
        assert_eq!(read("dnctl: command not found\n"), None);
    }
}
