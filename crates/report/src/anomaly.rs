//! The anomalies of a replayed capture, in sentences.

use results::CaptureAnomaly;
use serde::Deserialize;
use serde_json::Value;
use units::Span;

/// The anomaly as a sentence, without a full stop.
pub fn capture_anomaly(anomaly: &CaptureAnomaly) -> String {
    match anomaly {
        CaptureAnomaly::Skipped(skipped) => {
            let (count, records, kinds) = (skipped.count, skipped.records, skipped.list());
            let records = one_or_more(records, "record");
            format!("{count} of {records} skipped: no IP packets ({kinds})")
        }
        CaptureAnomaly::SuperPackets { count, pieces } => {
            let (super_packets, packets) =
                (one_or_more(*count, "super-packet"), one_or_more(*pieces, "packet"));
            format!("{super_packets} cut into {packets}, see --mtu")
        }
        CaptureAnomaly::StepsBack { count, largest_s } => {
            let most = Span::from_secs_f64(*largest_s);
            let verb = if *count == 1 { "has" } else { "have" };
            format!(
                "{} {verb} a time before that of an earlier record, by {most} at most; the earlier \
                 record's time is used",
                one_or_more(*count, "record")
            )
        }
        CaptureAnomaly::ClockSteps { count, largest_s } => {
            let most = Span::from_secs_f64(*largest_s);
            let steps = match count {
                1 => format!("a step back of {most}"),
                _ => format!("{count} steps back, of {most} at most"),
            };
            format!(
                "the clock of the capture made {steps}; later times count on from the time before it"
            )
        }
        CaptureAnomaly::Copies { count, records } => {
            let (verb, copies) = match count {
                1 => ("is", "a copy of a packet"),
                _ => ("are", "copies of packets"),
            };
            format!(
                "{count} of {} {verb} {copies} already seen at another interface of a router or \
                 bridge; copies do not count",
                one_or_more(*records, "record")
            )
        }
        CaptureAnomaly::Missed { count } => {
            let verb = if *count == 1 { "is" } else { "are" };
            let packets = one_or_more(*count, "packet");
            format!("{packets} {verb} missing: they came faster than they could be read")
        }
        CaptureAnomaly::CutIpHeaders { count } => cut(*count, "packet", "IP header"),
        CaptureAnomaly::CutHeaders { count } => cut(*count, "TCP packet", "header"),
        CaptureAnomaly::CutOptions { count } => {
            let verb = if *count == 1 { "has" } else { "have" };
            let packets = one_or_more(*count, "TCP packet");
            format!(
                "{packets} {verb} only a part of the TCP options in the capture, so timestamps, SACK and the scale \
                 of windows may be missing; capture 108 bytes of each packet or more (tcpdump -s 108)"
            )
        }
        CaptureAnomaly::CutOff { records, offset } => {
            format!(
                "the capture is cut off: after {}, the record at byte {offset} is incomplete",
                one_or_more(*records, "record")
            )
        }
        CaptureAnomaly::Damaged { reason } => {
            format!("{reason}; the result is that of the records before it")
        }
    }
}

/// What is said of so many packets whose header is not whole.
fn cut(count: u64, packet: &str, header: &str) -> String {
    let (verb, object) = if count == 1 { ("has", "does") } else { ("have", "do") };
    let packets = one_or_more(count, packet);
    format!(
        "{packets} {verb} no whole {header} in the capture and {object} not count; capture 108 bytes \
         of each packet or more (tcpdump -s 108)"
    )
}

/// The number and the noun, in the plural unless the number is 1.
fn one_or_more(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// The anomalies in the setting of a replay, as sentences; `None` if the setting is not that of a
/// replay, or has no anomalies as data.
pub(crate) fn notes(scenario: &Value) -> Option<Vec<String>> {
    let anomalies = scenario.get("replay")?.get("anomalies")?;
    let anomalies = Vec::<CaptureAnomaly>::deserialize(anomalies).ok()?;
    Some(anomalies.iter().map(capture_anomaly).collect())
}

#[cfg(test)]
mod tests {
    use results::{SkippedKind, SkippedRecords};

    use super::*;

    #[test]
    fn each_anomaly_is_told_with_its_figures() {
        let arp = SkippedKind { name: "ARP".into(), count: 3 };
        let skipped = SkippedRecords { count: 3, records: 4, most_frequent: vec![arp] };
        for (anomaly, said) in [
            (CaptureAnomaly::Skipped(skipped), "3 of 4 records skipped: no IP packets (3 ARP)"),
            (
                CaptureAnomaly::SuperPackets { count: 1, pieces: 30 },
                "1 super-packet cut into 30 packets, see --mtu",
            ),
            (
                CaptureAnomaly::StepsBack { count: 2, largest_s: 0.000_002_001 },
                "2 records have a time before that of an earlier record, by 2.001us at most; the \
                 earlier record's time is used",
            ),
            (
                CaptureAnomaly::ClockSteps { count: 1, largest_s: 3.0 },
                "the clock of the capture made a step back of 3s; later times count on from the time before it",
            ),
            (
                CaptureAnomaly::Copies { count: 2, records: 5 },
                "2 of 5 records are copies of packets already seen at another interface of a \
                 router or bridge; copies do not count",
            ),
            (
                CaptureAnomaly::Missed { count: 7 },
                "7 packets are missing: they came faster than they could be read",
            ),
            (
                CaptureAnomaly::CutIpHeaders { count: 1 },
                "1 packet has no whole IP header in the capture and does not count; capture 108 bytes of \
                 each packet or more (tcpdump -s 108)",
            ),
            (
                CaptureAnomaly::CutHeaders { count: 7 },
                "7 TCP packets have no whole header in the capture and do not count; capture 108 bytes of \
                 each packet or more (tcpdump -s 108)",
            ),
            (
                CaptureAnomaly::CutOptions { count: 7 },
                "7 TCP packets have only a part of the TCP options in the capture, so timestamps, SACK and the \
                 scale of windows may be missing; capture 108 bytes of each packet or more (tcpdump -s 108)",
            ),
            (
                CaptureAnomaly::CutOff { records: 1, offset: 43 },
                "the capture is cut off: after 1 record, the record at byte 43 is incomplete",
            ),
            (
                CaptureAnomaly::Damaged { reason: "record 2 at byte 43: no".into() },
                "record 2 at byte 43: no; the result is that of the records before it",
            ),
        ] {
            assert_eq!(capture_anomaly(&anomaly), said);
        }
    }
}
