//! Sets a figure of the paper beside ours and says how they stand to each other.

use results::{ReproductionRow, Verdict};

/// A figure of the paper and ours.
pub(super) struct Figure<'a> {
    /// `Table 4`.
    pub(super) table: &'a str,
    /// `window 300 B`.
    pub(super) row: &'a str,
    /// `mean RTT of a ping`.
    pub(super) metric: &'a str,
    pub(super) unit: &'a str,
    pub(super) paper: Option<f64>,
    pub(super) ours: Option<f64>,
}

impl Figure<'_> {
    /// They agree if ours is at most this part off; `why` is for when they do not.
    pub(super) fn within(self, part: f64, why: impl FnOnce() -> Reason) -> ReproductionRow {
        self.near(part, 0.0, why)
    }

    /// They agree if ours is off by at most this part, or by no more than the paper's rounding.
    pub(super) fn near(
        self,
        part: f64,
        rounding: f64,
        why: impl FnOnce() -> Reason,
    ) -> ReproductionRow {
        let agree = self.paper.zip(self.ours).is_some_and(|(paper, ours)| {
            (ours - paper).abs() <= (part * paper.abs()).max(rounding)
        });
        let reason = if agree { Reason { verdict: Verdict::Agrees, note: None } } else { why() };
        self.with(reason)
    }

    /// With this verdict.
    pub(super) fn with(self, reason: Reason) -> ReproductionRow {
        ReproductionRow {
            experiment: self.table.into(),
            row: self.row.into(),
            metric: self.metric.into(),
            unit: self.unit.into(),
            paper: self.paper,
            ours: self.ours,
            deviation: ReproductionRow::deviation_of(self.paper, self.ours),
            verdict: reason.verdict,
            note: reason.note,
        }
    }
}

/// A verdict and why.
pub(super) struct Reason {
    pub(super) verdict: Verdict,
    pub(super) note: Option<String>,
}

/// Ours is something else than the paper's, since ...
pub(super) fn differs(note: impl Into<String>) -> Reason {
    Reason { verdict: Verdict::Differs, note: Some(note.into()) }
}

/// The paper's figure is impossible, since ...
pub(super) fn impossible(note: impl Into<String>) -> Reason {
    Reason { verdict: Verdict::PaperCannotBeRight, note: Some(note.into()) }
}

/// They agree, and there is something to be said about it.
pub(super) fn agrees(note: impl Into<String>) -> Reason {
    Reason { verdict: Verdict::Agrees, note: Some(note.into()) }
}
