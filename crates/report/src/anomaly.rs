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
            format!("{count} of {records} records skipped: no IP packets ({kinds})")
        }
        CaptureAnomaly::SuperPackets { count, pieces } => {
            format!("{count} super-packets cut into {pieces} packets, see --mtu")
        }
        CaptureAnomaly::StepsBack { count, largest_s } => {
            let most = Span::from_secs_f64(*largest_s);
            format!(
                "{count} records bear a time before that of an earlier one, by {most} at most; taken \
                 at the time of the earlier one"
            )
        }
        CaptureAnomaly::CutOff { records, offset } => {
            let plural = if *records == 1 { "record" } else { "records" };
            format!(
                "the capture is cut off: after {records} {plural}, what begins at byte {offset} is \
                 not whole"
            )
        }
    }
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
                CaptureAnomaly::StepsBack { count: 2, largest_s: 0.000_002_001 },
                "2 records bear a time before that of an earlier one, by 2.001us at most; taken at \
                 the time of the earlier one",
            ),
            (
                CaptureAnomaly::CutOff { records: 1, offset: 43 },
                "the capture is cut off: after 1 record, what begins at byte 43 is not whole",
            ),
        ] {
            assert_eq!(capture_anomaly(&anomaly), said);
        }
    }
}
