//! The drawing of one figure: title, explanation, legend, and the plot below them.

use super::axis::{Axes, Axis, TICK};
use super::boxes::{self, Boxes};
use super::cells::{self, Bar};
use super::curve::curve;
use super::ellipse;
use super::frame::{Frame, NUMBERS};
use super::guides;
use super::legend::{Legend, is_second_round, key_class};
use super::measure::{shorten, width, wrap};
use super::names::Names;
use super::range::AxisRange;
use super::sample::{CurveSample, samples};
use super::svg_writer::SvgWriter;
use crate::figure::{Curve, Figure, Mark, Scale};

/// The margin around everything.
const PAD: f64 = 24.0;

/// Font size and line height of the title and of the explanation.
const TITLE: (f64, f64) = (18.0, 24.0);
const NOTE: (f64, f64) = (13.0, 18.0);

/// The factor by which bold letters are wider than others.
const BOLD: f64 = 1.13;

/// The height below the plot and the numbers or names along its lower side.
const FOOT: f64 = 21.0 + PAD;

/// The longest name along the left side, the approximate width of numbers there, and the height of
/// a row of a map, in pixels.
const LONGEST: f64 = 170.0;
const SIDE: f64 = 50.0;
const ROW: f64 = 30.0;

/// A figure, laid out.
pub(super) struct Plot<'a> {
    figure: &'a Figure,
    keys: Vec<(&'a str, usize)>,
    curves: Vec<(&'a Curve, Vec<CurveSample>)>,
    width: f64,
    title: Vec<String>,
    explanation: Vec<String>,
    legend: Legend,
    /// The bar of colours; `None` unless the plot is a map.
    bar: Option<Bar<'a>>,
    /// The names along the lower side; `None` if it has numbers.
    names: Option<Names>,
}

impl<'a> Plot<'a> {
    /// The layout of a figure whose names have these `keys`, `width` pixels wide.
    pub(super) fn new(figure: &'a Figure, keys: Vec<(&'a str, usize)>, width: f64) -> Self {
        let inner = width - 2.0 * PAD;
        Plot {
            figure,
            curves: figure.curves.iter().map(|c| (c, samples(figure, c).collect())).collect(),
            width,
            title: wrap(&figure.title, TITLE.0 * BOLD, inner),
            // Long lines of text are hard to read.
            explanation: wrap(&figure.explanation, NOTE.0, inner.min(820.0)),
            legend: Legend::new(figure, &keys, inner),
            keys,
            bar: Bar::of(figure),
            names: names(figure, inner),
        }
    }

    /// The height of everything above the plot's frame.
    pub(super) fn head(&self) -> f64 {
        let text = self.title.len() as f64 * TITLE.1 + self.explanation.len() as f64 * NOTE.1;
        let bar = self.bar.as_ref().map_or(0.0, Bar::height);
        PAD + text + self.legend.height() + bar + 44.0
    }

    /// The height of the figure with a height of `head` above the plot's frame.
    pub(super) fn height(&self, head: f64) -> f64 {
        head + self.frame_height() + self.names.as_ref().map_or(NUMBERS, Names::height) + FOOT
    }

    /// The height of the plot's frame.
    fn frame_height(&self) -> f64 {
        let usual = (self.width * 0.2 + 150.0).round();
        match self.figure.y.names.len() {
            0 => usual,
            rows => (rows as f64 * ROW).clamp(usual / 2.0, usual * 2.0),
        }
    }

    /// Draws the plot with a height of `head` above its frame.
    pub(super) fn draw(&self, svg: &mut SvgWriter, head: f64) {
        let legend = self.draw_text(svg);
        self.legend.draw(svg, PAD, legend);
        if let Some(bar) = &self.bar {
            bar.draw(svg, PAD, legend + self.legend.height(), self.width - 2.0 * PAD);
        }
        let frame = Frame {
            left: PAD,
            right: self.width - PAD,
            top: head,
            bottom: head + self.frame_height(),
        };
        match self.ranges() {
            Some((x, y)) => self.draw_plot(svg, frame, x, y),
            None => self.draw_nothing(svg, frame),
        }
    }

    /// Draws title and explanation, and returns the place at which they end.
    fn draw_text(&self, svg: &mut SvgWriter) -> f64 {
        let mut y = PAD;
        for line in &self.title {
            svg.text("title", PAD, y + 16.0, line);
            y += TITLE.1;
        }
        for line in &self.explanation {
            svg.text("note", PAD, y + 14.0, line);
            y += NOTE.1;
        }
        y + 10.0
    }

    /// The ranges of the axes; `None` if there is no value.
    fn ranges(&self) -> Option<(AxisRange, AxisRange)> {
        let (x, y) = (self.figure.x.scale, self.figure.y.scale);
        let drawn = || {
            let samples = self.curves.iter().flat_map(|(_, samples)| samples);
            samples.filter(|sample| sample.y.is_some())
        };
        let right = AxisRange::of(drawn().map(|sample| sample.x))?;
        let up = AxisRange::of(drawn().flat_map(|sample| [sample.y, sample.low]).flatten())?;
        let (right, up) = (self.with_shapes(right, 0), self.with_shapes(up, 1));
        // A dot at the very edge would be cut. The values below a line of dots were chosen, and
        // need no zero.
        let near = if self.has(&[Mark::Points]) { 0.5 } else { 0.1 };
        let right = right.with_near_zero(x, near).opened(x);
        let right = match x == Scale::Log || self.has(&[Mark::Points, Mark::LinePoints]) {
            true => right.rounded(x, 8),
            false => right.nearly_rounded(x, 8),
        };
        // For boxes and ellipses the place matters more than the height above zero.
        let up = match self.has(&[Mark::Box, Mark::Ellipse]) {
            true => up.with_near_zero(y, 0.5).not_zoomed(y),
            false => up.with_zero(y),
        };
        let up = up.opened(y).rounded(y, self.rows());
        let [right, up] = [(&self.figure.x, right), (&self.figure.y, up)].map(|(axis, range)| {
            if axis.names.is_empty() { range } else { AxisRange::of_names(axis.names.len()) }
        });
        Some((right, up))
    }

    /// The horizontal (0) or vertical (1) range, extended by shapes that are not samples: whiskers,
    /// room beside boxes, ellipses without dots.
    fn with_shapes(&self, range: AxisRange, side: usize) -> AxisRange {
        let Figure { x, y, curves, .. } = self.figure;
        let cloud = curves.iter().any(|curve| curve.mark == Mark::Points);
        let ellipses = || curves.iter().filter(|curve| curve.mark == Mark::Ellipse && !cloud);
        let corners = ellipses().flat_map(|curve| ellipse::edge(curve, x, y));
        let more: Vec<f64> = match side {
            0 => corners.map(|corner| corner.0).collect(),
            _ => corners.map(|corner| corner.1).chain(boxes::ends(self.figure)).collect(),
        };
        let all = AxisRange::of([range.low, range.high].into_iter().chain(more)).unwrap_or(range);
        if side == 0 { all.with_sides(x.scale, &boxes::places(self.figure)) } else { all }
    }

    fn has(&self, marks: &[Mark]) -> bool {
        self.figure.curves.iter().any(|curve| marks.contains(&curve.mark))
    }

    /// The approximate number of lines across the plot.
    fn rows(&self) -> usize {
        (self.frame_height() / 50.0) as usize
    }

    /// Draws axes and curves.
    fn draw_plot(&self, svg: &mut SvgWriter, mut frame: Frame, x: AxisRange, y: AxisRange) {
        let y = Axis::new(&self.figure.y, y, (frame.bottom, frame.top));
        let mut rows = y.ticks(self.rows());
        rows.iter_mut().for_each(|tick| tick.label = shorten(&tick.label, TICK, LONGEST));
        let labels = rows.iter().map(|tick| width(&tick.label, TICK)).fold(0.0, f64::max);
        frame.left += (labels + 10.0).round();
        let x = |frame: &Frame| {
            Axis::new(&self.figure.x, x, (frame.left, frame.right)).with_long_times()
        };
        let columns = x(&frame).columns(frame.right - frame.left);
        let last = columns.iter().rfind(|tick| !tick.label.is_empty() && self.names.is_none());
        let overhang = last.map_or(0.0, |tick| width(&tick.label, TICK) / 2.0);
        frame.right -= (overhang - PAD / 2.0).max(0.0).round();
        let x = x(&frame);
        frame.draw(svg, (&x, &columns), (&y, &rows), self.names.as_ref());
        let boxes = Boxes::of(self.figure, &x);
        for (curve, samples) in &self.curves {
            match curve.mark {
                Mark::Span => guides::span(svg, curve, samples, &x, &frame),
                Mark::Guide => guides::guide(svg, curve, samples, Axes { x: &x, y: &y }, &frame),
                _ => self.draw_curve(svg, curve, samples, Axes { x: &x, y: &y }, &boxes),
            }
        }
    }

    /// Draws one curve in its colour.
    fn draw_curve(
        &self,
        svg: &mut SvgWriter,
        of: &Curve,
        samples: &[CurveSample],
        axes: Axes<'_>,
        boxes: &Boxes<'_>,
    ) {
        let key = self.keys.iter().find(|(name, _)| *name == of.name).map_or(0, |(_, key)| *key);
        let faint = of.mark == Mark::Points && self.has(&[Mark::Ellipse]);
        let faint = if faint { " faint" } else { "" };
        svg.raw("<g class=\"").raw(&key_class(key)).raw(faint).raw("\">\n");
        match of.mark {
            Mark::Box => boxes.draw(svg, of, axes),
            Mark::Cells => cells::draw(svg, of, axes),
            Mark::Ellipse => {
                let edge = ellipse::edge(of, &self.figure.x, &self.figure.y);
                ellipse::draw(svg, &edge, samples, axes);
            }
            _ => curve(svg, of.mark, is_second_round(key), samples, axes),
        }
        svg.raw("</g>\n");
    }

    /// Draws an empty frame with the text "no data".
    fn draw_nothing(&self, svg: &mut SvgWriter, frame: Frame) {
        let empty = AxisRange { low: 0.0, high: 1.0 };
        let linear = |axis: &crate::figure::Axis| crate::figure::Axis {
            scale: Scale::Linear,
            names: Vec::new(),
            ..axis.clone()
        };
        let x = Axis::new(&linear(&self.figure.x), empty, (frame.left, frame.right));
        let y = Axis::new(&linear(&self.figure.y), empty, (frame.bottom, frame.top));
        frame.draw(svg, (&x, &[]), (&y, &[]), None);
        let middle = (frame.top + frame.bottom) / 2.0;
        svg.text("note middle", (frame.left + frame.right) / 2.0, middle, "no data");
    }
}

/// The names along the lower side of `figure`, which is `inner` pixels wide; `None` if it has none.
fn names(figure: &Figure, inner: f64) -> Option<Names> {
    let side = figure.y.names.iter().map(|name| width(name, TICK).min(LONGEST)).reduce(f64::max);
    let room = inner - side.unwrap_or(SIDE) - 10.0;
    let names = &figure.x.names;
    (!names.is_empty()).then(|| Names::new(names, room / names.len() as f64))
}
