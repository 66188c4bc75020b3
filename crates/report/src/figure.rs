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
}

impl Axis {
    /// Evenly.
    pub fn linear(label: &str, unit: &str) -> Self {
        Self { label: label.into(), unit: unit.into(), scale: Scale::Linear }
    }

    /// Evenly for each factor of ten.
    pub fn log(label: &str, unit: &str) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label, unit) }
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

/// One line, one cloud of points, one band.
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
}
