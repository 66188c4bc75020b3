//! Sets a figure of the paper beside ours and says how they stand to each other.

use results::{ReproductionRow, Verdict};

/// A row of a table.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// `Table 4`.
    pub(super) table: &'a str,
    /// `window 300 B`.
    pub(super) row: &'a str,
}

/// A figure (a number, that is) of the paper and ours.
pub(super) struct Figure<'a> {
    place: Place<'a>,
    metric: &'a str,
    unit: &'a str,
    pub(super) paper: Option<f64>,
    pub(super) ours: Option<f64>,
}

/// A verdict and why.
pub(super) struct Reason {
    verdict: Verdict,
    note: Option<String>,
}

impl<'a> Place<'a> {
    /// This metric of the row, in this unit.
    pub(super) fn figure(
        self,
        metric: &'a str,
        unit: &'a str,
        paper: impl Into<Option<f64>>,
        ours: impl Into<Option<f64>>,
    ) -> Figure<'a> {
        Figure { place: self, metric, unit, paper: paper.into(), ours: ours.into() }
    }
}

impl Figure<'_> {
    /// They agree if ours is off by at most this part; `why` is for when it is not.
    pub(super) fn within(self, part: f64, why: impl FnOnce() -> Reason) -> ReproductionRow {
        self.near(part, 0.0, why)
    }

    /// They agree if ours is off by at most this part; there is this to be said either way.
    pub(super) fn about(self, part: f64, note: &str) -> ReproductionRow {
        let row = self.within(part, || differs(note));
        ReproductionRow { note: Some(note.into()), ..row }
    }

    /// They agree if these counts differ by at most this part, or by what chance does to a count:
    /// its square root.
    pub(super) fn counted(self, part: f64, why: impl FnOnce() -> Reason) -> ReproductionRow {
        let scatter = self.paper.map_or(0.0, f64::sqrt);
        self.near(part, scatter, why)
    }

    /// They agree if ours is not more than the paper's, which is a bound.
    pub(super) fn at_most(self, why: impl FnOnce() -> Reason) -> ReproductionRow {
        let row = self.holding(|paper, ours| ours <= paper, why);
        ReproductionRow { note: row.note.or(Some("at most so much, says the paper".into())), ..row }
    }

    /// They agree if ours is not less than the paper's, which is a bound.
    pub(super) fn at_least(self, why: impl FnOnce() -> Reason) -> ReproductionRow {
        let row = self.holding(|paper, ours| ours >= paper, why);
        ReproductionRow { note: row.note.or(Some("more than that, says the paper".into())), ..row }
    }

    /// They agree if ours is off by at most this part, or by this slack.
    fn near(self, part: f64, slack: f64, why: impl FnOnce() -> Reason) -> ReproductionRow {
        let holds = |paper: f64, ours: f64| (ours - paper).abs() <= (part * paper.abs()).max(slack);
        self.holding(holds, why)
    }

    fn holding(
        self,
        holds: impl FnOnce(f64, f64) -> bool,
        why: impl FnOnce() -> Reason,
    ) -> ReproductionRow {
        let agree = self.paper.zip(self.ours).is_some_and(|(paper, ours)| holds(paper, ours));
        let reason = if agree { agrees(None) } else { why() };
        self.with(reason)
    }

    /// With this verdict.
    pub(super) fn with(self, reason: Reason) -> ReproductionRow {
        ReproductionRow {
            experiment: self.place.table.into(),
            row: self.place.row.into(),
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

/// Ours is something else than the paper's, since ...
pub(super) fn differs(note: impl Into<String>) -> Reason {
    Reason { verdict: Verdict::Differs, note: Some(note.into()) }
}

/// The paper's figure is impossible, since ...
pub(super) fn impossible(note: impl Into<String>) -> Reason {
    Reason { verdict: Verdict::PaperCannotBeRight, note: Some(note.into()) }
}

/// They agree, and there may be something to be said about it.
pub(super) fn agrees(note: Option<String>) -> Reason {
    Reason { verdict: Verdict::Agrees, note }
}
