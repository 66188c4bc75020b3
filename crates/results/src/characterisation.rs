//! Queues in the scenarios of a guideline, side by side.

use serde::{Deserialize, Serialize};

use crate::{Version, short};

/// The output of `unbloat reproduce rfc7928`: figures of several queues in all scenarios of the
/// guidelines.
///
/// Lists with one value a queue are in the order of [`queues`](Self::queues).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Characterisation {
    /// `"unbloat.characterisation"`; reading anything else is an error.
    pub schema: CharacterisationSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The title of the guidelines.
    pub guidelines: String,
    /// The queues as they were asked for; the others are compared with the first.
    pub queues: Vec<String>,
    /// The scenarios that were run, in the order of the guidelines.
    pub scenarios: Vec<CharacterisedScenario>,
    /// The scenarios that were not run, each with the reason.
    pub left_out: Vec<LeftOut>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CharacterisationSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.characterisation")]
    Characterisation,
}

/// The weight that the guidelines give to a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RequirementLevel {
    /// The scenario must be considered.
    #[default]
    Must,
    /// The scenario must be discussed if the queue can do it.
    MustIfSupported,
    /// The scenario should be considered, or is recommended.
    Should,
    /// The scenario may be considered.
    May,
    /// The guidelines give the scenario no weight.
    Unweighed,
}

/// A scenario, with its cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CharacterisedScenario {
    /// Section of the guidelines: `6.2`.
    pub section: String,
    /// Subject: `round-trip fairness`.
    pub title: String,
    /// The weight that the guidelines give to the scenario.
    pub weight: RequirementLevel,
    /// The question that the scenario puts to a queue, in a sentence or two.
    pub question: String,
    /// The number that the cases vary: `round trip of category II`; empty if they do not vary a
    /// number.
    pub varied: String,
    /// Unit of that number: `ms`.
    pub unit: String,
    /// The cases that were run.
    pub cases: Vec<CharacterisedCase>,
}

/// A case of a scenario: several runs for each queue that differ in seed and starts only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CharacterisedCase {
    /// Difference from the other cases, in words: `round trips of 100 and 560 ms`.
    pub name: String,
    /// Short name for files and plots: `6.2-560ms`.
    pub id: String,
    /// Value of [`CharacterisedScenario::varied`] in this case; `None` if the cases do not vary a
    /// number.
    pub at: Option<f64>,
    /// A command for the first run of the last queue.
    pub repeat: String,
    /// The measured figures: means over the runs.
    pub figures: Vec<CharacterisedFigure>,
    /// Delay against goodput, one entry a queue.
    pub windows: Vec<Windows>,
    /// Delay against goodput for single classes of flows, where they are of interest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<CharacterisedClass>,
    /// Interval between the values of `over_time`, in seconds.
    pub step_s: f64,
    /// The mean delay in the queue over time, in milliseconds, in the first run; `None` where no
    /// packet was delivered. One list a queue, no lists where the delay does not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over_time: Vec<Vec<Option<f64>>>,
}

/// A figure, with the value of each queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CharacterisedFigure {
    /// The measured object: `queue`, or the name of a flow.
    pub of: String,
    /// The measured quantity: `goodput`.
    pub metric: String,
    /// The unit: `Mbit/s`; empty for a count.
    pub unit: String,
    /// Values, one a queue; `None` where a queue has no such figure.
    pub values: Vec<Option<f64>>,
}

/// The flows of one name in a scenario file: an application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CharacterisedClass {
    /// Name in the scenario file.
    pub of: String,
    /// Delay of its packets in the queue and its goodput, one entry a queue.
    pub windows: Vec<Windows>,
}

/// Delay and goodput in windows of equal length, of all runs with one queue: one value a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Windows {
    /// Mean delay in the queue, in milliseconds.
    #[serde(serialize_with = "short::list")]
    pub delay_ms: Vec<f64>,
    /// Goodput of all flows together, or of those of the class, in Mbit/s.
    #[serde(serialize_with = "short::list")]
    pub goodput_mbit: Vec<f64>,
}

/// A scenario that was not run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// Section of the guidelines.
    pub section: String,
    /// Subject.
    pub title: String,
    /// The reason why it was not run.
    pub why: String,
}

impl CharacterisedCase {
    /// The values of this quantity of this object, one a queue; `None` if there is no such figure.
    pub fn figure(&self, of: &str, metric: &str) -> Option<&[Option<f64>]> {
        let mut figures = self.figures.iter();
        let found = figures.find(|figure| figure.of == of && figure.metric == metric)?;
        Some(&found.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contract: exactly these names, in this order.
    #[test]
    fn names_and_shapes() {
        let figure = CharacterisedFigure {
            of: "queue".into(),
            metric: "delay p95".into(),
            unit: "ms".into(),
            values: vec![Some(90.5), None],
        };
        let case = CharacterisedCase {
            name: "alone".into(),
            id: "5.1.1".into(),
            at: None,
            repeat: "unbloat sim".into(),
            figures: vec![figure],
            windows: vec![Windows { delay_ms: vec![90.0], goodput_mbit: vec![9.5] }],
            classes: Vec::new(),
            step_s: 1.0,
            over_time: Vec::new(),
        };
        let scenario = CharacterisedScenario { cases: vec![case], ..Default::default() };
        let document = Characterisation {
            guidelines: "RFC 7928".into(),
            queues: vec!["pfifo".into(), "codel".into()],
            scenarios: vec![scenario],
            ..Default::default()
        };
        let text = serde_json::to_string(&document).unwrap();
        let expected = r#"{"schema":"unbloat.characterisation","version":1,"#.to_owned()
            + r#""guidelines":"RFC 7928","queues":["pfifo","codel"],"scenarios":[{"section":"","#
            + r#""title":"","weight":"must","question":"","varied":"","unit":"","cases":["#
            + r#"{"name":"alone","id":"5.1.1","at":null,"repeat":"unbloat sim","figures":[{"of":"queue","metric":"delay p95","#
            + r#""unit":"ms","values":[90.5,null]}],"windows":[{"delay_ms":[90],"#
            + r#""goodput_mbit":[9.5]}],"step_s":1.0}]}],"left_out":[]}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Characterisation>(&text).unwrap(), document);
        let other = text.replace("unbloat.characterisation", "unbloat.result");
        assert!(serde_json::from_str::<Characterisation>(&other).is_err());
    }

    #[test]
    fn a_figure_is_found_by_what_it_is_of() {
        let figure = |of: &str, value| CharacterisedFigure {
            of: of.into(),
            metric: "goodput".into(),
            values: vec![Some(value)],
            ..Default::default()
        };
        let figures = vec![figure("one", 1.0), figure("two", 2.0)];
        let case = CharacterisedCase { figures, ..Default::default() };
        assert_eq!(case.figure("two", "goodput"), Some([Some(2.0)].as_slice()));
        assert_eq!(case.figure("two", "delay"), None);
    }
}
