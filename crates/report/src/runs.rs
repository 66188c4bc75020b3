//! The plots and tables of many runs, as of a sweep.

mod boxes;
mod choice;
mod compared;
mod draw;
mod ellipse;
mod field;
mod metric;
mod name;
mod page;
mod seeds;
mod summary;

use std::fmt;

use results::Runs;

use crate::figure::Figure;
use choice::RunsView;

pub use boxes::{box_of, boxes};
pub use ellipse::{cloud, ellipse_of};
pub use page::runs_page;
pub use summary::{runs_lacking, sweep_tables};

/// The choice of plots of many runs. Options that are `None` are chosen automatically.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunsPlot {
    /// The kind of plot; `None` for all that fit.
    pub kind: Option<PlotKind>,
    /// The field or the metric on the horizontal axis: its name, or an unambiguous ending of it.
    pub x: Option<String>,
    /// The metric on the vertical axis: `sojourn_ms.p50`.
    pub y: Option<String>,
    /// The field whose values have different colours: `queue`.
    pub by: Option<String>,
}

/// A kind of plot of many runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// A box with whiskers for the runs of each value of a field.
    Box,
    /// The part of the runs that stays below a value.
    Cdf,
    /// Delay against utilisation, an ellipse around the runs of each colour: RFC 7928 section 2.7.
    Tradeoff,
    /// A map over two fields.
    Heat,
    /// The median over a field of numbers, with a shade from one quartile to the other.
    Line,
}

/// The reason why a plot of many runs cannot be drawn, in a sentence that lists the alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotError(String);

impl PlotKind {
    /// All kinds with their names.
    pub const NAMES: [(&'static str, PlotKind); 5] = [
        ("box", PlotKind::Box),
        ("cdf", PlotKind::Cdf),
        ("tradeoff", PlotKind::Tradeoff),
        ("heat", PlotKind::Heat),
        ("line", PlotKind::Line),
    ];

    /// The kind with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlotError {}

/// The figures of `runs` that `plot` asks for. If it asks for nothing, all kinds that fit are
/// drawn, and nothing fails: the median delay and the utilisation over the field that changes them
/// most, the trade-off of the two, the distribution of the runs, and maps if two fields are
/// numbers. Each queue has its colour, if several were compared.
///
/// # Errors
/// If a field, a metric or the kind asked for does not exist; the error lists those that do.
/// Options have their names in [`RunsPlot`].
pub fn runs_figures(runs: &Runs, plot: &RunsPlot) -> Result<Vec<Figure>, PlotError> {
    let view = RunsView::new(runs, plot);
    view.check()?;
    match plot.kind {
        Some(kind) => draw::kind(&view, kind),
        None => Ok(draw::all(&view)),
    }
}

#[cfg(test)]
mod tests;
