//! The scenarios of the guidelines, in their order.

use results::LeftOut;

use super::scenario::Scenario;
use super::{mixes, sharing, stability, transports};

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
            "to be discussed; `--queue` once for each value shows it",
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use results::{CharacterisedScenario, RequirementLevel};

    use super::super::scenario::Case;
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
            .filter(|scenario| scenario.about.weight == RequirementLevel::Must)
            .map(|scenario| scenario.about.section)
            .collect();
        let must = ["5.1.1", "5.1.2", "5.2", "5.3", "6.2", "7.2", "8.2.5", "8.2.6"];
        assert_eq!(run, must.map(String::from).into());
    }
}
