//! The tolerances between our figures and the papers'. Each kind of figure or phrase has one
//! tolerance, for every paper and whatever the result.

use std::collections::BTreeSet;

use results::{Reproduction, ReproductionRow, ReproductionTolerance};

/// A kind of figure or phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FigureKind {
    ClosedForm,
    Simulated,
    Approximate,
    About,
    Count,
    Effect,
    Exponent,
    Close,
    Similar,
    Much,
    Bound,
    Phrase,
}

/// The tolerance of a kind of figure or phrase.
pub(crate) struct Tolerance {
    kind: FigureKind,
    /// The kind's name in rows and documents.
    name: &'static str,
    /// The figures or phrases of this kind, in words.
    of: &'static str,
    /// The largest deviation, as a part of the paper's figure; `None` for kinds that hold or not.
    part: Option<f64>,
    /// The condition for agreement, in words.
    agrees: &'static str,
}

/// A kind with a numerical tolerance.
const fn near(
    kind: FigureKind,
    name: &'static str,
    part: f64,
    agrees: &'static str,
    of: &'static str,
) -> Tolerance {
    Tolerance { kind, name, of, part: Some(part), agrees }
}

/// A kind that holds or does not.
const fn held(
    kind: FigureKind,
    name: &'static str,
    agrees: &'static str,
    of: &'static str,
) -> Tolerance {
    Tolerance { kind, name, of, part: None, agrees }
}

/// The table of tolerances. "Similar" is read as in the CoDel article, which calls amounts similar
/// that are 92 % of each other. "Very close" must be less than that.
pub(crate) const TABLE: [Tolerance; 12] = [
    near(FigureKind::ClosedForm, "closed_form", 0.03, "within 3 %", CLOSED_FORM),
    near(FigureKind::Simulated, "simulated", 0.05, "within 5 %", SIMULATED),
    near(FigureKind::Approximate, "approximate", 0.1, "within 10 %", APPROXIMATE),
    near(FigureKind::About, "about", 0.25, "within 25 %", ABOUT),
    near(
        FigureKind::Count,
        "count",
        0.1,
        "within 10 %, or within the square root of the number",
        COUNT,
    ),
    near(
        FigureKind::Effect,
        "effect",
        0.25,
        "same sign, and within 25 % of the effect itself",
        EFFECT,
    ),
    near(FigureKind::Exponent, "exponent", 0.1, "within 10 %", EXPONENT),
    near(FigureKind::Close, "close", 0.05, "within 5 %", CLOSE),
    near(FigureKind::Similar, "similar", 0.1, "within 10 %", SIMILAR),
    held(FigureKind::Much, "much", "at most half, or at least twice as much", MUCH),
    held(FigureKind::Bound, "bound", "on the stated side", BOUND),
    held(FigureKind::Phrase, "phrase", "as the note says", PHRASE),
];

const CLOSED_FORM: &str = "a figure that follows from sizes, rates and windows alone";
const SIMULATED: &str = "a mean of the paper's simulator, with its whole setup given";
const APPROXIMATE: &str = "a figure with a part of its setup left open, or a formula that leaves \
                           something out";
const ABOUT: &str = "a figure after \"about\", read off a plot, or of a setup that is not given";
const COUNT: &str = "a number of lost packets";
const EFFECT: &str = "a change from one setting to another, per cent";
const EXPONENT: &str = "the power with which something grows";
const CLOSE: &str = "\"almost the same\", \"very close\", \"fills\"";
const SIMILAR: &str = "\"similar\", \"not significantly different\"";
const MUCH: &str = "\"much less\", \"badly\", \"starves\"";
const BOUND: &str = "\"less than\", \"more than\", \"higher\", \"slightly lower\"";
const PHRASE: &str = "any other phrase";

impl FigureKind {
    /// The tolerance of this kind.
    fn tolerance(self) -> &'static Tolerance {
        // A test ensures that each kind has a tolerance.
        TABLE.iter().find(|tolerance| tolerance.kind == self).unwrap_or(&TABLE[0])
    }

    /// The kind's name in rows.
    pub(crate) fn name(self) -> &'static str {
        self.tolerance().name
    }

    /// True if our figure is within the tolerance of the paper's; always false for kinds without a
    /// number.
    pub(crate) fn near(self, paper: f64, ours: f64) -> bool {
        let Some(part) = self.tolerance().part else { return false };
        let slack = if self == Self::Count { paper.abs().sqrt() } else { 0.0 };
        (ours - paper).abs() <= (part * paper.abs()).max(slack)
    }
}

/// The document of these rows, with the tolerances that they are judged with.
pub(crate) fn reproduction(paper: &str, rows: Vec<ReproductionRow>) -> Reproduction {
    let used: BTreeSet<&str> = rows.iter().filter_map(|row| row.tolerance.as_deref()).collect();
    let tolerances = TABLE
        .iter()
        .filter(|tolerance| used.contains(tolerance.name))
        .map(Tolerance::told)
        .collect();
    Reproduction::new(paper, rows, tolerances)
}

impl Tolerance {
    fn told(&self) -> ReproductionTolerance {
        let Self { name, of, part, agrees, .. } = *self;
        ReproductionTolerance { kind: name.into(), of: of.into(), part, agrees: agrees.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [FigureKind; 12] = [
        FigureKind::ClosedForm,
        FigureKind::Simulated,
        FigureKind::Approximate,
        FigureKind::About,
        FigureKind::Count,
        FigureKind::Effect,
        FigureKind::Exponent,
        FigureKind::Close,
        FigureKind::Similar,
        FigureKind::Much,
        FigureKind::Bound,
        FigureKind::Phrase,
    ];

    #[test]
    fn each_kind_has_one_line() {
        let lines: Vec<FigureKind> = TABLE.iter().map(|tolerance| tolerance.kind).collect();
        assert_eq!(lines, KINDS);
        let names: BTreeSet<&str> = TABLE.iter().map(|tolerance| tolerance.name).collect();
        assert_eq!(names.len(), TABLE.len());
    }

    #[test]
    fn a_figure_is_near_within_its_part() {
        assert!(FigureKind::About.near(4.0, 5.0) && !FigureKind::About.near(4.0, 5.01));
        assert!(FigureKind::Close.near(1.0, 0.951) && !FigureKind::Close.near(1.0, 0.949));
        // "Similar" for the authors: 92 %.
        assert!(FigureKind::Similar.near(1.0, 0.92));
        // The standard deviation of a count of 31 is 5.6.
        assert!(FigureKind::Count.near(31.0, 26.0) && !FigureKind::Count.near(31.0, 25.0));
        assert!(!FigureKind::Bound.near(1.0, 1.0) && !FigureKind::Phrase.near(1.0, 1.0));
    }

    /// An effect of -2.8 % is met neither by no effect nor by the opposite one.
    #[test]
    fn an_effect_is_judged_against_its_own_size() {
        let near = |ours| FigureKind::Effect.near(-2.8, ours);
        assert!(near(-2.8) && near(-2.11) && near(-3.49));
        assert!(!near(0.0) && !near(2.8) && !near(-2.09) && !near(-3.51));
        assert!(FigureKind::Effect.near(0.0, 0.0) && !FigureKind::Effect.near(0.0, 1.0));
    }

    /// The documentation page shows the table in force.
    #[test]
    fn the_page_shows_the_table() {
        let page = include_str!("../../../docs/reproduce.md");
        for Tolerance { name, of, agrees, .. } in TABLE {
            let line = format!("| `{name}` | {of} | {agrees} |");
            assert!(page.contains(&line), "docs/reproduce.md lacks `{line}`");
        }
    }
}
