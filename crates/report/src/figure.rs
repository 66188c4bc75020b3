//! A plot, however it will be drawn: on the page, as SVG, as PNG, as CSV.

use serde::Serialize;

/// A plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is called where a name is typed, and in file names: `delay`.
    pub id: String,
    /// What it shows: `Delay in the queue`.
    pub title: String,
    /// In a sentence or two for someone who is no expert: what to look at, and what is good.
    pub explanation: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is drawn, from back to front.
    pub curves: Vec<Curve>,
}

/// What is measured along one side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// `Time`.
    pub label: String,
    /// `s`; empty for a pure number.
    pub unit: String,
    /// How values become places.
    pub scale: Scale,
    /// If there are any, the axis has names instead of numbers: value 0 stands at the first, value
    /// 1 at the second, ...; the scale is then linear.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl Axis {
    /// Evenly.
    pub fn linear(label: &str, unit: &str) -> Self {
        Self { label: label.into(), unit: unit.into(), scale: Scale::Linear, names: Vec::new() }
    }

    /// Evenly for each factor of ten.
    pub fn log(label: &str, unit: &str) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label, unit) }
    }

    /// Names, one beside the other: value `i` stands at the name number `i`.
    pub fn named(label: &str, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { names, ..Self::linear(label, "") }
    }
}

/// How values become places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// Evenly for each factor of ten; what is not positive is not drawn.
    Log,
}

/// One line, one cloud of points, one band, one row of boxes, one map.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Curve {
    /// As the legend has it; curves of one name are one entry there, and of one colour.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Ascending; equal ones may follow each other.
    pub x: Vec<f64>,
    /// One a value of `x`; a line has a gap where one is missing.
    pub y: Vec<Option<f64>>,
    /// The lower edge, where the curve stands for a range of values from `low` to `y`; else empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub low: Vec<Option<f64>>,
    /// Of [`Mark::Box`], one a value of `x`: the end of the lower whisker, the lower quartile, the
    /// median, the upper quartile, the end of the upper whisker.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub five: Vec<[f64; 5]>,
    /// Of [`Mark::Ellipse`]: its middle to the right and upwards, half its longer axis, half its
    /// shorter one, and the angle from the x axis to the longer one, in radians against the clock.
    /// All is measured where the axes' values are even: along an axis of [`Scale::Log`] in decimal
    /// logarithms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ellipse: Option<[f64; 5]>,
    /// Of [`Mark::Cells`], one a value of `x`: what the colour stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub value: Vec<Option<f64>>,
    /// Of [`Mark::Cells`]: what `value` measures, and how values become colours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colours: Option<Colours>,
}

/// How values become colours: as places along an axis, from the darkest to the lightest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Colours {
    /// What is measured.
    pub axis: Axis,
    /// The value at the dark end.
    pub from: f64,
    /// The value at the light end.
    pub to: f64,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Straight from value to value; the range from `low`, if there is one, is filled.
    #[default]
    Line,
    /// Level until the next value.
    Steps,
    /// Dots that nothing joins.
    Points,
    /// Dots that a line joins: few values, each of which was measured.
    LinePoints,
    /// From `low` to `y`, filled without an edge; several that overlap grow darker.
    Band,
    /// Boxes with whiskers from `five`; `y` has the medians. Those of several curves at one value
    /// of `x` stand side by side.
    Box,
    /// The edge of `ellipse`; the only value of `x` and `y`, somewhere in it, is a dot.
    Ellipse,
    /// Fields of a map, coloured by `value`, around the places `x` and `y` on two axes with names.
    Cells,
    /// A part of the plot, from the first value of `x` to the last, shaded from the bottom to the
    /// top, with its name above it; `y` has no values. It is not in the legend.
    Span,
    /// A thin grey line with its name at its end: nothing that was measured, but something to
    /// compare with. It is not in the legend.
    Guide,
}

impl Mark {
    /// Does it help to read the others, with neither a colour nor a place in the legend?
    pub(crate) const fn is_aid(self) -> bool {
        matches!(self, Self::Span | Self::Guide)
    }
}
