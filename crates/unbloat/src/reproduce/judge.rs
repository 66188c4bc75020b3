//! Sets a figure of the paper beside ours and says how they stand to each other.

use results::{Bound, ReproductionRow, Verdict};

use super::tolerance::Kind;

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
    /// They agree if ours is near enough for its kind; `why` is for when it is not.
    pub(super) fn within(self, kind: Kind, why: impl FnOnce() -> Reason) -> ReproductionRow {
        self.holding(kind, |paper, ours| kind.near(paper, ours), why)
    }

    /// They agree if ours is near enough for its kind; there is this to be said either way.
    pub(super) fn noted(self, kind: Kind, note: &str) -> ReproductionRow {
        let row = self.within(kind, || differs(note));
        ReproductionRow { note: Some(note.into()), ..row }
    }

    /// They agree if ours is less than the paper's, which is a bound; there is this to be said either
    /// way.
    pub(super) fn below(self, note: &str) -> ReproductionRow {
        self.bounded(Kind::Bound, Bound::Below, note)
    }

    /// They agree if ours is more than the paper's, which is a bound; there is this to be said either
    /// way.
    pub(super) fn above(self, note: &str) -> ReproductionRow {
        self.bounded(Kind::Bound, Bound::Above, note)
    }

    /// They agree if this ratio says "much less".
    pub(super) fn much_less(self, note: &str) -> ReproductionRow {
        Self { paper: Some(0.5), ..self }.bounded(Kind::Much, Bound::Below, note)
    }

    /// They agree if this ratio says "much more".
    pub(super) fn much_more(self, note: &str) -> ReproductionRow {
        Self { paper: Some(2.0), ..self }.bounded(Kind::Much, Bound::Above, note)
    }

    /// They agree if what the paper has in words `holds`, as this note cites it.
    pub(super) fn in_words(self, holds: bool, note: &str) -> ReproductionRow {
        self.saying(Kind::Phrase, holds, note)
    }

    /// They agree if ours is near what a formula gives, which this note has: the paper has no number.
    pub(super) fn by_formula(self, kind: Kind, exact: f64, note: &str) -> ReproductionRow {
        let near = self.ours.is_some_and(|ours| kind.near(exact, ours));
        self.saying(kind, near, note)
    }

    /// The paper has nothing to hold it against.
    pub(super) fn beyond(self) -> ReproductionRow {
        self.row(None, Reason { verdict: Verdict::Unjudged, note: None })
    }

    /// They agree if it `holds`; there is this to be said either way.
    fn saying(self, kind: Kind, holds: bool, note: &str) -> ReproductionRow {
        let row = self.with(kind, if holds { agrees(None) } else { differs(note) });
        ReproductionRow { note: Some(note.into()), ..row }
    }

    fn bounded(self, kind: Kind, bound: Bound, note: &str) -> ReproductionRow {
        let row = self.holding(kind, |paper, ours| bound.holds(paper, ours), || differs(note));
        ReproductionRow {
            bound: Some(bound),
            // How far ours is from a bound says nothing.
            deviation: None,
            note: Some(note.into()),
            ..row
        }
    }

    fn holding(
        self,
        kind: Kind,
        holds: impl FnOnce(f64, f64) -> bool,
        why: impl FnOnce() -> Reason,
    ) -> ReproductionRow {
        let agree = self.paper.zip(self.ours).is_some_and(|(paper, ours)| holds(paper, ours));
        let reason = if agree { agrees(None) } else { why() };
        self.with(kind, reason)
    }

    /// With this verdict on a figure of this kind.
    pub(super) fn with(self, kind: Kind, reason: Reason) -> ReproductionRow {
        self.row(Some(kind), reason)
    }

    /// Row with this verdict; without a figure of ours there is none, and nothing to explain.
    fn row(self, kind: Option<Kind>, reason: Reason) -> ReproductionRow {
        let reason = match self.ours {
            Some(_) => reason,
            None => Reason { verdict: Verdict::Unjudged, note: None },
        };
        ReproductionRow {
            experiment: self.place.table.into(),
            row: self.place.row.into(),
            metric: self.metric.into(),
            unit: self.unit.into(),
            paper: self.paper,
            bound: None,
            ours: self.ours,
            deviation: ReproductionRow::deviation_of(self.paper, self.ours),
            tolerance: kind.map(|kind| kind.name().into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the paper has.
    #[test]
    fn without_a_figure_of_ours_nothing_is_judged() {
        let figure = |paper: Option<f64>| {
            Place { table: "Table 1", row: "10 frames" }.figure("mean RTT", "s", paper, None)
        };
        let rows = [
            figure(Some(1.0)).within(Kind::About, || differs("another TCP")),
            figure(Some(1.0)).noted(Kind::Close, "\"very close\""),
            figure(Some(1.0)).below("\"smaller\""),
            figure(Some(1.0)).above("\"longer\""),
            figure(None).much_less("\"much less delay\""),
            figure(None).much_more("\"much more delay\""),
            figure(None).in_words(false, "\"there is no excess queue\""),
            figure(None).in_words(true, "\"there is no excess queue\""),
            figure(None).by_formula(Kind::ClosedForm, 1.0, "three frames of 12 ms"),
            figure(Some(1.0)).with(Kind::Count, impossible("one frame takes longer")),
        ];
        for row in rows {
            assert_eq!((row.verdict, row.ours, row.deviation), (Verdict::Unjudged, None, None));
            assert!(row.tolerance.is_some(), "what it would be judged with is known: {row:?}");
            // What the paper says stays; why ours would differ does not.
            let cited = row.note.is_none_or(|note| note.starts_with('"') || note.contains("three"));
            assert!(cited);
        }
    }
}
