//! The description of a plot, whatever its output: the page, SVG, PNG or CSV.

use serde::Serialize;

/// A plot, as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Name of the plot on the command line and in file names: `delay`.
    pub id: String,
    /// Title of the plot: `Delay in the queue`.
    pub title: String,
    /// Explanation of what to look at, and of what is good, in a sentence or two for readers who
    /// are not experts.
    pub explanation: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, from back to front.
    pub curves: Vec<Curve>,
}

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// The measured quantity: `Time`.
    pub label: String,
    /// The unit: `s`; empty for a pure number.
    pub unit: String,
    /// The mapping of values to places.
    pub scale: Scale,
    /// Names that the axis has in place of numbers: value 0 is at the first, value 1 at the second,
    /// ...; the scale is then linear. Empty if the axis has numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The clock of an axis of times: figures whose times are of one clock are zoomed and pointed at
    /// together. `None` if the page has one clock, or if the figure stands alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<usize>,
    /// True for the vertical axis of a figure in which a page gives the curves of each name a panel of their
    /// own, all with the same axes, so that no curve hides another.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub panels: bool,
    /// The least value that a logarithmic axis tells apart: smaller ones, which may be 0, are drawn there, and
    /// words and numbers call it "below". `None` if the axis tells all values apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
}

impl Axis {
    /// An axis on which equal differences have the same length.
    pub fn linear(label: &str, unit: &str) -> Self {
        let (label, unit) = (label.into(), unit.into());
        let (scale, names) = (Scale::Linear, Vec::new());
        Self { label, unit, scale, names, clock: None, panels: false, least: None }
    }

    /// An axis on which each factor of ten has the same length.
    pub fn log(label: &str, unit: &str) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label, unit) }
    }

    /// A logarithmic axis that does not tell values below `least` apart.
    pub(crate) fn log_from(least: f64, label: &str, unit: &str) -> Self {
        Self { least: Some(least), ..Self::log(label, unit) }
    }

    /// An axis of names: value `i` is at name number `i`, counted from 0.
    pub fn named(label: &str, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { names, ..Self::linear(label, "") }
    }
}

/// The mapping of values to places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// A scale on which equal differences have the same length.
    #[default]
    Linear,
    /// A scale on which each factor of ten has the same length; values that are not positive are
    /// not drawn.
    Log,
}

/// A curve: a line, a cloud of points, a band, a row of boxes, or a map.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Curve {
    /// Name of the curve in the legend. Curves with the same name share an entry and a colour.
    pub name: String,
    /// The way in which the curve is drawn.
    pub mark: Mark,
    /// Horizontal values, ascending; equal values may follow each other.
    pub x: Vec<f64>,
    /// Vertical values, one for each of `x`; a line has a gap at each `None`.
    pub y: Vec<Option<f64>>,
    /// The lower edge, one value for each of `x`, if the curve is a range of values from `low` to
    /// `y`; empty otherwise. A range has a gap at each `None`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub low: Vec<Option<f64>>,
    /// Five numbers for each value of `x`, for [`Mark::Box`]: the end of the lower whisker, the
    /// lower quartile, the median, the upper quartile, the end of the upper whisker.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub five: Vec<[f64; 5]>,
    /// The values beyond the whiskers for each value of `x`, ascending, for [`Mark::Box`]; empty for
    /// other marks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beyond: Vec<Vec<f64>>,
    /// The ellipse, for [`Mark::Ellipse`]: x and y of its centre, half its longer axis, half its
    /// shorter axis, and the angle from the x axis to the longer axis, in radians, anticlockwise.
    /// Along an axis of [`Scale::Log`] all are in decimal logarithms. `None` for other marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ellipse: Option<[f64; 5]>,
    /// The value that the colour shows, for each value of `x`; `None` for a cell without a value.
    /// Empty for all marks but [`Mark::Cells`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub value: Vec<Option<f64>>,
    /// The quantity of `value`, and the mapping of values to colours, for [`Mark::Cells`]; `None`
    /// for other marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colours: Option<Colours>,
    /// The index of the curve's colour, where readers expect a certain one; `None` for the next that
    /// is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<usize>,
    /// The width in the unit of `x` of the means, or on a logarithmic axis the medians, that a page shows of a
    /// line, until its reader asks for all values; `None` to show all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smoothed_over: Option<f64>,
    /// The number of the packet in a capture, for each value of `x`; empty for values that are not of
    /// packets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packets: Vec<u64>,
}

/// The mapping of values to colours: places along an axis, from the darkest colour to the lightest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Colours {
    /// The axis of the mapped quantity.
    pub axis: Axis,
    /// The value at the dark end.
    pub from: f64,
    /// The value at the light end.
    pub to: f64,
}

/// The way in which a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Straight lines from value to value; the range from `low`, if there is one, is filled.
    #[default]
    Line,
    /// Steps: level until the next value.
    Steps,
    /// Dots that are not joined.
    Points,
    /// Dots joined by a line: few values, each of which was measured.
    LinePoints,
    /// The range from `low` to `y`, filled without an edge; several that overlap grow darker.
    Band,
    /// Upright strokes from `low` to `y`.
    Strokes,
    /// Boxes with whiskers, from `five`, and dots, from `beyond`; `y` has the medians. The boxes of several curves at one
    /// value of `x` are side by side.
    Box,
    /// The outline of `ellipse`; the only value of `x` and `y`, which lies somewhere in it, is a
    /// dot.
    Ellipse,
    /// Cells of a map, coloured by `value`, around the places `x` and `y` on two axes with names.
    Cells,
    /// A part of the plot, from the first value of `x` to the last, shaded from the bottom to the
    /// top, with its name above it; `y` has no values. It is not in the legend.
    Span,
    /// A thin grey line with its name at its end, which was not measured but serves for comparison.
    /// It is not in the legend.
    Guide,
}

impl Mark {
    /// True if the mark only helps to read the other curves, and has neither a colour nor a place
    /// in the legend.
    pub(crate) const fn is_aid(self) -> bool {
        matches!(self, Self::Span | Self::Guide)
    }
}
