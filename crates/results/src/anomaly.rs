//! Anomalies of a capture that is replayed or told.

use serde::{Deserialize, Serialize};

/// An anomaly of a capture that is replayed or told, and the remedy that was taken. The sentence is
/// `report`'s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CaptureAnomaly {
    /// Records were skipped because they hold no IP packet.
    Skipped(SkippedRecords),
    /// Super-packets were cut into packets.
    SuperPackets {
        /// Number of super-packets.
        count: u64,
        /// Number of packets into which all of them were cut.
        pieces: u64,
    },
    /// Records have a time before that of an earlier record, and were taken at the time of the
    /// earlier one.
    StepsBack {
        /// Number of such records.
        count: u64,
        /// The largest step back in time, in seconds.
        largest_s: f64,
    },
    /// The clock of the capture was set back. Times after a step count on from the time before it.
    ClockSteps {
        /// Number of steps back.
        count: u64,
        /// The largest step back, in seconds.
        largest_s: f64,
    },
    /// Packets of TCP connections are there twice: they were captured at several places, as at two interfaces of a
    /// router. Of each, the first one counts.
    Copies {
        /// Number of the second copies, which do not count.
        count: u64,
        /// Number of all records.
        records: u64,
    },
    /// Packets passed the interface that was followed, and found no room in the kernel: they are
    /// missing.
    Missed {
        /// Number of such packets.
        count: u64,
    },
    /// Packets were captured without their whole IP header, and do not count.
    CutIpHeaders {
        /// Number of such packets.
        count: u64,
    },
    /// Packets of TCP were captured without their whole header, and do not count.
    CutHeaders {
        /// Number of such packets.
        count: u64,
    },
    /// Packets of TCP were captured without all of their options: what these tell is missing.
    CutOptions {
        /// Number of such packets.
        count: u64,
    },
    /// The capture is cut off, and was replayed up to there.
    CutOff {
        /// Number of whole records before.
        records: u64,
        /// The offset in the file at which the incomplete record begins, in bytes.
        offset: u64,
    },
    /// The capture is damaged, or cannot be read any further, and what is before that place was read.
    Damaged {
        /// The place, and what is wrong there.
        reason: String,
    },
}

/// Records of a capture that hold no IP packet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkippedRecords {
    /// Number of records that were skipped.
    pub count: u64,
    /// Number of all records.
    pub records: u64,
    /// The most frequent kinds of skipped records, the most frequent first. There are others if
    /// their counts add up to less than `count`.
    pub most_frequent: Vec<SkippedKind>,
}

/// Records of one kind that hold no IP packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkippedKind {
    /// The name of the kind: `ARP`.
    pub name: String,
    /// Number of records.
    pub count: u64,
}

impl SkippedRecords {
    /// The most frequent kinds as a list: `3 ARP, 1 LLDP, and others`.
    pub fn list(&self) -> String {
        let kinds = &self.most_frequent;
        let mut list: Vec<String> =
            kinds.iter().map(|SkippedKind { name, count }| format!("{count} {name}")).collect();
        let listed = kinds.iter().fold(0, |sum: u64, kind| sum.saturating_add(kind.count));
        if listed < self.count {
            list.push("and others".into());
        }
        list.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_anomaly_is_its_kind_and_its_figures() {
        let most_frequent = vec![SkippedKind { name: "ARP".into(), count: 2 }];
        let skipped = SkippedRecords { count: 3, records: 9, most_frequent };
        assert_eq!(skipped.list(), "2 ARP, and others");
        let anomalies =
            [CaptureAnomaly::Skipped(skipped), CaptureAnomaly::CutOff { records: 9, offset: 712 }];
        let value = serde_json::to_value(&anomalies).unwrap();
        let kinds = json!([{ "name": "ARP", "count": 2 }]);
        let expected = json!([
            { "kind": "skipped", "count": 3, "records": 9, "most_frequent": kinds },
            { "kind": "cut_off", "records": 9, "offset": 712 },
        ]);
        assert_eq!(value, expected);
        assert_eq!(serde_json::from_value::<Vec<CaptureAnomaly>>(value).unwrap(), anomalies);
    }
}
