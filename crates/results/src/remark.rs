//! Remarks about a measured path: one claim in a sentence, with a name that does not change.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::{Grade, QueueKind};
use observation::Heading;

mod claim;

pub use claim::Claim;

/// A claim in a sentence, with figures.
///
/// The figures are those that the sentence states, so that it can be checked where the truth of a
/// path is known. Figures that the sentence does not state are `None`, and left out in JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remark {
    /// The name of the claim.
    pub name: Claim,
    /// The direction of the claim; `None` if the claim is about the path, or about the test.
    pub heading: Option<Heading>,
    /// The sentence.
    pub text: String,
    /// Commands that belong to the sentence, one a string, to be run in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// A delay in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<f64>,
    /// A rate in Mbit/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_mbit: Option<f64>,
    /// A size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<f64>,
    /// A size in packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<f64>,
    /// A duration in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// A number of events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// An address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// A part of something, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<f64>,
    /// An upper bound of the part, 0 to 1, where `part` is a lower bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_most: Option<f64>,
    /// A hop, counted from us; of several hops the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hop: Option<u8>,
    /// The last of several hops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_hop: Option<u8>,
    /// A kind of queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<QueueKind>,
    /// A grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    /// Confidence, 0 to 1; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

impl Remark {
    /// A claim about the path, or about the test.
    pub fn new(name: Claim, text: impl Into<String>) -> Self {
        Self { name, text: text.into(), ..Self::default() }
    }

    /// A claim about a direction.
    pub fn of(name: Claim, heading: Heading, text: impl Into<String>) -> Self {
        Self { heading: Some(heading), ..Self::new(name, text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_says_in_json_what_it_states_and_no_more() {
        let shape = Remark {
            rate_mbit: Some(1.9),
            commands: vec!["tc -s qdisc show dev WAN".into()],
            ..Remark::of(Claim::Shape, Heading::Up, "Shape the upload to 1.9 Mbit/s.")
        };
        let text = serde_json::to_string(&shape).unwrap();
        assert_eq!(
            text,
            r#"{"name":"shape","heading":"up","text":"Shape the upload to 1.9 Mbit/s.","#
                .to_owned()
                + r#""commands":["tc -s qdisc show dev WAN"],"rate_mbit":1.9}"#
        );
        assert_eq!(serde_json::from_str::<Remark>(&text).unwrap(), shape);
        let lag = serde_json::to_string(&Remark::new(Claim::Lag, "Lag: 20 ms.")).unwrap();
        assert_eq!(lag, r#"{"name":"lag","heading":null,"text":"Lag: 20 ms."}"#);
    }
}
