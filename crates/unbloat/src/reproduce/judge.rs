//! Sets a figure of the paper beside ours and says how they stand to each other.

use results::{Bound, ReproductionRow, Verdict};

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

    /// They agree if ours is less than the paper's, which is a bound; there is this to be said either
    /// way.
    pub(super) fn below(self, note: &str) -> ReproductionRow {
        self.bounded(Bound::Below, note)
    }

    /// They agree if ours is more than the paper's, which is a bound; there is this to be said either
    /// way.
    pub(super) fn above(self, note: &str) -> ReproductionRow {
        self.bounded(Bound::Above, note)
    }

    /// They agree if what the paper has in words `holds`, as this note cites it.
    pub(super) fn in_words(self, holds: bool, note: &str) -> ReproductionRow {
        let reason = match self.ours {
            Some(_) if holds => agrees(Some(note.into())),
            _ => differs(note),
        };
        self.with(reason)
    }

    /// The paper has nothing to hold it against.
    pub(super) fn beyond(self) -> ReproductionRow {
        self.with(Reason { verdict: Verdict::Unjudged, note: None })
    }

    fn bounded(self, bound: Bound, note: &str) -> ReproductionRow {
        let row = self.holding(|paper, ours| bound.holds(paper, ours), || differs(note));
        ReproductionRow {
            bound: Some(bound),
            // How far ours is from a bound says nothing.
            deviation: None,
            note: Some(note.into()),
            ..row
        }
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
            bound: None,
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
