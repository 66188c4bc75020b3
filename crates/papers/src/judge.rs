//! Judges our figure against the paper's.

use results::{Bound, ReproductionRow, ReproductionVerdict};

use super::tolerance::FigureKind;

/// The row of a table in which a figure is.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The paper's table or figure, such as `Table 4`.
    pub(crate) table: &'a str,
    /// The row's name, such as `window 300 B`.
    pub(crate) row: &'a str,
}

/// A number of the paper and ours, with the metric and the unit.
pub(crate) struct Figure<'a> {
    place: Place<'a>,
    metric: &'a str,
    unit: &'a str,
    pub(crate) paper: Option<f64>,
    pub(crate) ours: Option<f64>,
}

/// A verdict and its reason.
pub(crate) struct Reason {
    verdict: ReproductionVerdict,
    note: Option<String>,
}

impl<'a> Place<'a> {
    /// A figure of this row, with its metric and unit.
    pub(crate) fn figure(
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
    /// The row agrees if our figure is near the paper's, by the tolerance of `kind`; `why` gives
    /// the verdict if it is not.
    pub(crate) fn within(self, kind: FigureKind, why: impl FnOnce() -> Reason) -> ReproductionRow {
        self.holding(kind, |paper, ours| kind.near(paper, ours), why)
    }

    /// The row agrees if our figure is near the paper's, by the tolerance of `kind`. It has the
    /// note in either case.
    pub(crate) fn noted(self, kind: FigureKind, note: &str) -> ReproductionRow {
        let row = self.within(kind, || differs(note));
        ReproductionRow { note: Some(note.into()), ..row }
    }

    /// The row agrees if our figure is less than the paper's, which is a bound. It has the note in
    /// either case.
    pub(crate) fn below(self, note: &str) -> ReproductionRow {
        self.bounded(FigureKind::Bound, Bound::Below, note)
    }

    /// The row agrees if our figure is more than the paper's, which is a bound. It has the note in
    /// either case.
    pub(crate) fn above(self, note: &str) -> ReproductionRow {
        self.bounded(FigureKind::Bound, Bound::Above, note)
    }

    /// The row agrees if our figure, a ratio, is "much less": below 0.5.
    pub(crate) fn much_less(self, note: &str) -> ReproductionRow {
        Self { paper: Some(0.5), ..self }.bounded(FigureKind::Much, Bound::Below, note)
    }

    /// The row agrees if our figure, a ratio, is "much more": above 2.
    pub(crate) fn much_more(self, note: &str) -> ReproductionRow {
        Self { paper: Some(2.0), ..self }.bounded(FigureKind::Much, Bound::Above, note)
    }

    /// The row agrees if the paper's statement, cited in the note, `holds`.
    pub(crate) fn in_words(self, holds: bool, note: &str) -> ReproductionRow {
        self.saying(FigureKind::Phrase, holds, note)
    }

    /// The row agrees if our figure is near `exact`, from the formula in the note. The paper has no
    /// number.
    pub(crate) fn by_formula(self, kind: FigureKind, exact: f64, note: &str) -> ReproductionRow {
        let near = self.ours.is_some_and(|ours| kind.near(exact, ours));
        self.saying(kind, near, note)
    }

    /// A row without a verdict, for a figure that the paper does not have.
    pub(crate) fn beyond(self) -> ReproductionRow {
        self.row(None, Reason { verdict: ReproductionVerdict::Unjudged, note: None })
    }

    /// The row agrees if `holds` is true. It has the note in either case.
    fn saying(self, kind: FigureKind, holds: bool, note: &str) -> ReproductionRow {
        let row = self.with(kind, if holds { agrees(None) } else { differs(note) });
        ReproductionRow { note: Some(note.into()), ..row }
    }

    fn bounded(self, kind: FigureKind, bound: Bound, note: &str) -> ReproductionRow {
        let row = self.holding(kind, |paper, ours| bound.holds(paper, ours), || differs(note));
        ReproductionRow {
            bound: Some(bound),
            // The distance from a bound means nothing.
            deviation: None,
            note: Some(note.into()),
            ..row
        }
    }

    fn holding(
        self,
        kind: FigureKind,
        holds: impl FnOnce(f64, f64) -> bool,
        why: impl FnOnce() -> Reason,
    ) -> ReproductionRow {
        let agree = self.paper.zip(self.ours).is_some_and(|(paper, ours)| holds(paper, ours));
        let reason = if agree { agrees(None) } else { why() };
        self.with(kind, reason)
    }

    /// The row with this verdict, for a figure of this kind.
    pub(crate) fn with(self, kind: FigureKind, reason: Reason) -> ReproductionRow {
        self.row(Some(kind), reason)
    }

    /// The row with this verdict. Without a figure of ours it is unjudged and has no note.
    fn row(self, kind: Option<FigureKind>, reason: Reason) -> ReproductionRow {
        let reason = match self.ours {
            Some(_) => reason,
            None => Reason { verdict: ReproductionVerdict::Unjudged, note: None },
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

/// The verdict that our figure differs, and why.
pub(crate) fn differs(note: impl Into<String>) -> Reason {
    Reason { verdict: ReproductionVerdict::Differs, note: Some(note.into()) }
}

/// The verdict that the paper's figure is impossible, and why.
pub(crate) fn impossible(note: impl Into<String>) -> Reason {
    Reason { verdict: ReproductionVerdict::PaperCannotBeRight, note: Some(note.into()) }
}

/// The verdict that the figures agree, with an optional note.
pub(crate) fn agrees(note: Option<String>) -> Reason {
    Reason { verdict: ReproductionVerdict::Agrees, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With or without a figure of the paper.
    #[test]
    fn without_a_figure_of_ours_nothing_is_judged() {
        let figure = |paper: Option<f64>| {
            Place { table: "Table 1", row: "10 frames" }.figure("mean RTT", "s", paper, None)
        };
        let rows = [
            figure(Some(1.0)).within(FigureKind::About, || differs("another TCP")),
            figure(Some(1.0)).noted(FigureKind::Close, "\"very close\""),
            figure(Some(1.0)).below("\"smaller\""),
            figure(Some(1.0)).above("\"longer\""),
            figure(None).much_less("\"much less delay\""),
            figure(None).much_more("\"much more delay\""),
            figure(None).in_words(false, "\"there is no excess queue\""),
            figure(None).in_words(true, "\"there is no excess queue\""),
            figure(None).by_formula(FigureKind::ClosedForm, 1.0, "three frames of 12 ms"),
            figure(Some(1.0)).with(FigureKind::Count, impossible("one frame takes longer")),
        ];
        for row in rows {
            assert_eq!(
                (row.verdict, row.ours, row.deviation),
                (ReproductionVerdict::Unjudged, None, None)
            );
            assert!(row.tolerance.is_some(), "what it would be judged with is known: {row:?}");
            // A citation of the paper stays; the reason for a difference does not.
            let cited = row.note.is_none_or(|note| note.starts_with('"') || note.contains("three"));
            assert!(cited);
        }
    }
}
