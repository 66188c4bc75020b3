//! A scenario of the guidelines, and its cases.

use results::{CharacterisedScenario, RequirementLevel};

use crate::run::File;

/// A scenario and its cases.
pub(super) struct Scenario {
    /// The scenario's description, without its cases.
    pub(super) about: CharacterisedScenario,
    pub(super) cases: Vec<Case>,
}

/// A case of a scenario: a file and the changes to it.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) file: File,
    /// The changed paths and their values, as for `--set`.
    pub(super) changes: Vec<(String, String)>,
    /// The buffer of the queues under test, in packets.
    pub(super) buffer: u32,
    /// The paths of the queues under test.
    pub(super) places: &'static [&'static str],
    /// True if senders use ECN and queues mark.
    pub(super) ecn: bool,
    /// The varied setting as a number; `None` if it is not a number.
    pub(super) at: Option<f64>,
    /// The two flows whose goodputs are compared; `None` for no comparison.
    pub(super) ratio: Option<[&'static str; 2]>,
    /// True if the delay over time is kept.
    pub(super) over_time: bool,
    /// True if each class of flows is measured.
    pub(super) classes: bool,
}

/// The packets of 1500 bytes that 10 Mbit/s carry in 100 ms: RFC 7928 section 3.2 suggests the
/// product of bandwidth and the largest round trip.
pub(super) const BUFFER: u32 = 84;
/// The place of one queue under test.
pub(super) const BOTTLENECK: &[&str] = &["link.bottleneck.queue"];

impl Scenario {
    pub(super) fn new(
        section: &str,
        title: &str,
        weight: RequirementLevel,
        question: &str,
        cases: Vec<Case>,
    ) -> Self {
        let about = CharacterisedScenario {
            section: section.into(),
            title: title.into(),
            weight,
            question: question.into(),
            ..CharacterisedScenario::default()
        };
        Self { about, cases }
    }

    /// The scenario with the name and unit of the number that its cases vary.
    pub(super) fn varying(mut self, what: &str, unit: &str) -> Self {
        (self.about.varied, self.about.unit) = (what.into(), unit.into());
        self
    }
}

impl Case {
    /// A case with an unchanged scenario file.
    pub(super) fn of(id: &str, name: &str, file: File) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            file,
            changes: Vec::new(),
            buffer: BUFFER,
            places: BOTTLENECK,
            ecn: false,
            at: None,
            ratio: None,
            over_time: false,
            classes: false,
        }
    }

    pub(super) fn set(mut self, path: &str, value: impl ToString) -> Self {
        self.changes.push((path.into(), value.to_string()));
        self
    }

    pub(super) fn buffer(self, packets: u32) -> Self {
        Self { buffer: packets, ..self }
    }

    pub(super) fn places(self, places: &'static [&'static str]) -> Self {
        Self { places, ..self }
    }

    pub(super) fn ratio(self, of: &'static str, to: &'static str) -> Self {
        Self { ratio: Some([of, to]), ..self }
    }

    pub(super) fn over_time(self) -> Self {
        Self { over_time: true, ..self }
    }

    pub(super) fn classes(self) -> Self {
        Self { classes: true, ..self }
    }
}
