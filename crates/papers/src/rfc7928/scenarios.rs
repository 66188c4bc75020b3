//! The scenarios of the guidelines, in their order.

use results::{CharacterisedScenario, LeftOut, Weight};

use super::{mixes, sharing, stability, transports};
use crate::run::File;

/// A scenario and its cases.
pub(super) struct Scenario {
    /// The scenario's description, without its cases.
    pub(super) about: CharacterisedScenario,
    pub(super) cases: Vec<Case>,
}

/// One case: a scenario file and the changes to it.
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
    /// The varied setting as a number. `None` if it is none.
    pub(super) at: Option<f64>,
    /// The two flows whose goodputs are compared.
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

/// The sections of all scenarios that are run.
pub(super) const SECTIONS: &[&str] = &[
    "4.4", "4.5", "5.1.1", "5.1.2", "5.2", "5.3", "5.4", "6.2", "7.2", "8.2.2-4", "8.2.5", "8.2.6",
    "9.1", "9.2", "10.2",
];

/// All scenarios that are run.
pub(super) fn all() -> Vec<Scenario> {
    let mut all = vec![sharing::packet_sizes(), sharing::ecn()];
    all.extend(transports::all());
    all.push(sharing::round_trips());
    all.push(mixes::bursts());
    all.extend(stability::all());
    all.extend([mixes::mix(), mixes::both_ways(), mixes::two_routers()]);
    all
}

/// The scenarios that this simulator, or any, cannot run.
pub(super) fn left_out() -> Vec<LeftOut> {
    let left_out = |section: &str, title: &str, why: &str| LeftOut {
        section: section.into(),
        title: title.into(),
        why: why.into(),
    };
    vec![
        left_out("4.3.2", "comparing deployment", "for people to weigh"),
        left_out("4.6", "interaction with scheduling", "to be discussed; fq_codel is a case of it"),
        left_out(
            "7.2, 9.1",
            "video that adapts its rate",
            "no such player is modelled; the video here is a burst of one size, again and again",
        ),
        left_out(
            "8.3",
            "sensitivity to parameters",
            "to be discussed; `--queue` once for each value that is in question shows it",
        ),
        left_out(
            "10.2",
            "one scheme, other parameters",
            "which those are is for the scheme to say",
        ),
        left_out("11", "cost", "not in a simulation; to be discussed"),
        left_out("12", "what an operator must set", "to be discussed"),
    ]
}

impl Scenario {
    pub(super) fn new(
        section: &str,
        title: &str,
        weight: Weight,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn cases_have_names_of_their_own() {
        let cases: Vec<Case> = all().into_iter().flat_map(|scenario| scenario.cases).collect();
        let ids: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids.len(), cases.len());
        let sections: Vec<String> =
            all().into_iter().map(|scenario| scenario.about.section).collect();
        assert_eq!(sections, SECTIONS);
        let fit = |id: &&str| id.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
        assert!(ids.iter().all(fit), "{ids:?}");
    }

    /// The page of the documentation has each case in its table, and each section in its list.
    #[test]
    fn the_page_knows_all_cases() {
        let page = include_str!("../../../../docs/reproduce-rfc7928.md");
        let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = page.lines().map(plain).collect();
        for Scenario { about, cases } in all() {
            let CharacterisedScenario { section, title, .. } = about;
            for case in cases {
                let row = format!("{section} {title}, {} ", case.name);
                assert!(lines.iter().any(|line| line.starts_with(&row)), "no row {row:?}");
            }
            let row = format!("| {section} |");
            assert!(lines.iter().any(|line| line.starts_with(&row)), "no line {row:?}");
        }
        for left in left_out() {
            let row = format!("| {} |", left.section);
            assert!(lines.iter().any(|line| line.starts_with(&row)), "no line {row:?}");
        }
    }

    /// RFC 7928 section 13, figure 4.
    #[test]
    fn all_that_must_be_considered_is_run() {
        let run: BTreeSet<String> = (all().into_iter())
            .filter(|scenario| scenario.about.weight == Weight::Must)
            .map(|scenario| scenario.about.section)
            .collect();
        let must = ["5.1.1", "5.1.2", "5.2", "5.3", "6.2", "7.2", "8.2.5", "8.2.6"];
        assert_eq!(run, must.map(String::from).into());
    }
}
