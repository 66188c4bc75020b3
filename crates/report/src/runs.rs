//! Many runs at a glance: what there is to see in a sweep.

mod boxes;
mod choice;
mod draw;
mod ellipse;
mod field;
mod metric;
mod name;
mod page;
mod summary;

use std::fmt;

use results::Runs;

use crate::figure::Figure;
use choice::View;

pub use boxes::{box_of, boxes};
pub use ellipse::{cloud, ellipse_of};
pub use page::runs_page;
pub use summary::sweep_tables;

/// What of many runs is to be drawn, and how; what is not said is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunsPlot {
    /// The kind of plot; all that fit if none is said.
    pub kind: Option<Kind>,
    /// The field, or the metric, to the right: by its name or an ending of it that fits one only.
    pub x: Option<String>,
    /// The metric upwards: `sojourn_ms.p50`.
    pub y: Option<String>,
    /// The field of which each value has a colour of its own: `queue`.
    pub by: Option<String>,
}

/// A kind of plot of many runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A box with whiskers for the runs of each value of a field.
    Box,
    /// What part of the runs stays below a value.
    Cdf,
    /// Delay against utilisation, an ellipse around the runs of each colour: RFC 7928 section 2.7.
    Tradeoff,
    /// A map over two fields.
    Heat,
    /// The median over a field that is a number, in a shade from one quartile to the other.
    Line,
}

/// Why a plot of many runs cannot be drawn, in a sentence that says what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotError(String);

impl Kind {
    /// All, with the names by which they are asked for.
    pub const NAMES: [(&'static str, Kind); 5] = [
        ("box", Kind::Box),
        ("cdf", Kind::Cdf),
        ("tradeoff", Kind::Tradeoff),
        ("heat", Kind::Heat),
        ("line", Kind::Line),
    ];

    /// The kind of this name.
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

/// What there is to see in `runs`, as `plot` asks for it. Without a wish all kinds that fit are
/// drawn, and nothing fails: the median delay and the utilisation over the field that changes them
/// most, the trade-off of the two, how the runs are distributed, and maps where two fields are
/// numbers; a colour a queue, if several were compared.
///
/// # Errors
/// If a field, a metric or the kind asked for is not there, with what is; options are called as in
/// [`RunsPlot`].
pub fn runs_figures(runs: &Runs, plot: &RunsPlot) -> Result<Vec<Figure>, PlotError> {
    let view = View::new(runs, plot);
    view.check()?;
    match plot.kind {
        Some(kind) => draw::kind(&view, kind),
        None => Ok(draw::all(&view)),
    }
}

#[cfg(test)]
mod tests;
