//! The comparison of a paper's figures with ours.

use serde::{Deserialize, Serialize};

use crate::Version;
use stats::ratio;

/// The output of `unbloat reproduce --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reproduction {
    /// `"unbloat.reproduction"`; reading anything else is an error.
    pub schema: ReproductionSchema,
    /// `3`; reading anything else is an error.
    pub version: Version<3>,
    /// The paper's title.
    pub paper: String,
    /// The tolerances, one for each kind of figure or phrase to which rows refer.
    pub tolerances: Vec<ReproductionTolerance>,
    /// Rows: for each figure of the paper, and for each of ours that the paper does not have.
    pub rows: Vec<ReproductionRow>,
}

/// The tolerance for a kind of figure or phrase of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReproductionTolerance {
    /// Name to which [`ReproductionRow::tolerance`] refers: `closed_form`.
    pub kind: String,
    /// Figures or phrases that are of this kind, in words.
    pub of: String,
    /// Largest deviation of ours, as a part of the paper's figure; `None` for a bound or a phrase,
    /// which holds or does not.
    pub part: Option<f64>,
    /// Condition under which the two figures agree, in words.
    pub agrees: String,
}

impl Reproduction {
    /// A reproduction of this paper, judged with these tolerances.
    pub fn new(
        paper: impl Into<String>,
        rows: Vec<ReproductionRow>,
        tolerances: Vec<ReproductionTolerance>,
    ) -> Self {
        Self { paper: paper.into(), tolerances, rows, ..Self::default() }
    }

    /// The tolerance with which this row is judged; `None` if it is not judged.
    pub fn tolerance_of(&self, row: &ReproductionRow) -> Option<&ReproductionTolerance> {
        let kind = row.tolerance.as_deref()?;
        self.tolerances.iter().find(|tolerance| tolerance.kind == kind)
    }
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ReproductionSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.reproduction")]
    Reproduction,
}

/// A figure of the paper, beside ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReproductionRow {
    /// Place in the paper: `Table 4`.
    pub experiment: String,
    /// Difference from the other rows: `window 3000 B`.
    pub row: String,
    /// The measured quantity: `mean RTT`.
    pub metric: String,
    /// The unit: `ms`.
    pub unit: String,
    /// The paper's figure; `None` if the paper has no number.
    pub paper: Option<f64>,
    /// The side of the paper's figure on which ours must lie; `None` if the paper's figure is not a
    /// bound.
    pub bound: Option<Bound>,
    /// Our figure; `None` if a run that it needs is not complete, or does not show it.
    pub ours: Option<f64>,
    /// `ours / paper - 1`; `None` if the paper's figure is zero, missing, or a bound.
    pub deviation: Option<f64>,
    /// Kind of [`ReproductionTolerance`] with which our figure is judged; `None` if it is not
    /// judged.
    pub tolerance: Option<String>,
    /// The result of the comparison.
    pub verdict: ReproductionVerdict,
    /// The reason why the two do not agree, or another remark; `None` if there is none.
    pub note: Option<String>,
}

/// The side of the paper's figure on which ours must lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Our figure must be less.
    Below,
    /// Our figure must be more.
    Above,
}

impl Bound {
    /// True if our figure is on the right side of the paper's.
    pub fn holds(self, paper: f64, ours: f64) -> bool {
        match self {
            Self::Below => ours < paper,
            Self::Above => ours > paper,
        }
    }
}

impl ReproductionRow {
    /// The part by which `ours` exceeds `paper`, as in [`deviation`](Self::deviation); `None` if
    /// either figure is `None`, or if the paper's is 0.
    pub fn deviation_of(paper: Option<f64>, ours: Option<f64>) -> Option<f64> {
        let (paper, ours) = (paper?, ours?);
        ratio(ours - paper, paper)
    }
}

/// The result of comparing our figure with the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReproductionVerdict {
    /// Within the tolerance, on the right side of the bound, or as the paper's words say.
    Agrees,
    /// Outside the tolerance, or on the wrong side of the bound.
    Differs,
    /// Outside the tolerance, and the note shows that the paper's figure is impossible.
    PaperCannotBeRight,
    /// Nothing is compared: the paper has nothing to compare ours with, or there is no figure of
    /// ours, as after an interrupt.
    Unjudged,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Reproduction {
        let (paper, ours) = (Some(0.0324), Some(0.324));
        let row = ReproductionRow {
            experiment: "Table 2".into(),
            row: "10 frames".into(),
            metric: "mean RTT".into(),
            unit: "s".into(),
            paper,
            bound: None,
            ours,
            deviation: ReproductionRow::deviation_of(paper, ours),
            tolerance: Some("closed_form".into()),
            verdict: ReproductionVerdict::PaperCannotBeRight,
            note: Some("one frame alone takes 46.6 ms".into()),
        };
        let tolerance = ReproductionTolerance {
            kind: "closed_form".into(),
            of: "a figure that follows from sizes and rates".into(),
            part: Some(0.03),
            agrees: "within 3 %".into(),
        };
        let title = "Performance simulation of buffer bloat in routers";
        Reproduction::new(title, vec![row], vec![tolerance])
    }

    /// The contract: exactly these names, in this order.
    #[test]
    fn names_and_shapes() {
        let expected = r#"{"schema":"unbloat.reproduction","version":3,"#.to_owned()
            + r#""paper":"Performance simulation of buffer bloat in routers","tolerances":[{"#
            + r#""kind":"closed_form","of":"a figure that follows from sizes and rates","#
            + r#""part":0.03,"agrees":"within 3 %"}],"rows":[{"#
            + r#""experiment":"Table 2","row":"10 frames","metric":"mean RTT","unit":"s","#
            + r#""paper":0.0324,"bound":null,"ours":0.324,"deviation":9.0,"#
            + r#""tolerance":"closed_form","#
            + r#""verdict":"paper_cannot_be_right","note":"one frame alone takes 46.6 ms"}]}"#;
        let mut document = example();
        let deviation = document.rows[0].deviation.as_mut().unwrap();
        assert!((*deviation - 9.0).abs() < 1e-12, "{deviation}");
        *deviation = 9.0;
        let text = serde_json::to_string(&document).unwrap();
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Reproduction>(&text).unwrap(), document);
    }

    #[test]
    fn verdicts_have_the_names_of_the_contract() {
        let verdicts = [
            ReproductionVerdict::Agrees,
            ReproductionVerdict::Differs,
            ReproductionVerdict::PaperCannotBeRight,
            ReproductionVerdict::Unjudged,
        ];
        let names = serde_json::to_value(verdicts).unwrap();
        let expected = ["agrees", "differs", "paper_cannot_be_right", "unjudged"];
        assert_eq!(names, serde_json::json!(expected));
        let bounds = serde_json::to_value([Bound::Below, Bound::Above]).unwrap();
        assert_eq!(bounds, serde_json::json!(["below", "above"]));
    }

    #[test]
    fn a_bound_is_not_met_by_what_lies_on_it() {
        assert!(Bound::Below.holds(1.0, 0.9) && Bound::Above.holds(1.0, 1.1));
        for bound in [Bound::Below, Bound::Above] {
            assert!(!bound.holds(1.0, 1.0) && !bound.holds(1.0, f64::NAN));
        }
    }

    #[test]
    fn there_is_no_deviation_from_nothing() {
        let deviation = ReproductionRow::deviation_of;
        assert_eq!(deviation(Some(2.0), Some(1.5)), Some(-0.25));
        for (paper, ours) in [(None, Some(1.0)), (Some(1.0), None), (Some(0.0), Some(1.0))] {
            assert_eq!(deviation(paper, ours), None);
        }
    }

    #[test]
    fn refuses_what_is_not_this_format() {
        let text = serde_json::to_string(&example()).unwrap();
        let other = text.replace("unbloat.reproduction", "unbloat.result");
        let message = serde_json::from_str::<Reproduction>(&other).unwrap_err().to_string();
        assert!(message.contains("unbloat.result"), "{message}");
        let later = text.replace("\"version\":3", "\"version\":9");
        let message = serde_json::from_str::<Reproduction>(&later).unwrap_err().to_string();
        assert!(message.starts_with("this document has version 9"), "{message}");
    }
}
