//! The frame of a plot: lines across, numbers along the sides, and titles of the axes.

use super::axis::Axis;
use super::names::Names;
use super::svg_writer::SvgWriter;
use super::ticks::Tick;

/// The height of the numbers along the lower side, in pixels.
pub(super) const NUMBERS: f64 = 23.0;

/// The sides of the area for curves, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The left side.
    pub left: f64,
    /// The right side.
    pub right: f64,
    /// The upper side.
    pub top: f64,
    /// The lower side.
    pub bottom: f64,
}

impl Frame {
    /// Draws both axes with their ticks.
    pub(super) fn draw(
        &self,
        svg: &mut SvgWriter,
        x: (&Axis, &[Tick]),
        y: (&Axis, &[Tick]),
        names: Option<&Names>,
    ) {
        self.rows(svg, y.0, y.1);
        let foot = match names {
            Some(names) => {
                names.draw(svg, x.0, self.bottom);
                names.height()
            }
            None => {
                self.columns(svg, x.0, x.1);
                NUMBERS
            }
        };
        let middle = (self.left + self.right) / 2.0;
        svg.text("name middle", middle, self.bottom + foot + 19.0, &x.0.title());
        let base = y.0.base();
        svg.line("axis", (self.left, base), (self.right, base));
    }

    /// Draws lines across, with numbers to the left of them.
    fn rows(&self, svg: &mut SvgWriter, y: &Axis, ticks: &[Tick]) {
        for tick in ticks {
            let place = y.place(tick.value);
            if !y.is_named() {
                let class = if tick.label.is_empty() { "grid minor" } else { "grid" };
                svg.line(class, (self.left, place), (self.right, place));
            }
            if !tick.label.is_empty() {
                svg.text("tick end", self.left - 10.0, place + 4.2, &tick.label);
            }
        }
        svg.text("name", 24.0, self.top - 16.0, &y.title());
    }

    /// Draws ticks along the lower side, with numbers below them, and vertical lines on a
    /// logarithmic axis.
    fn columns(&self, svg: &mut SvgWriter, x: &Axis, ticks: &[Tick]) {
        for tick in ticks {
            let place = x.place(tick.value);
            if x.is_log() {
                let class = if tick.label.is_empty() { "grid minor" } else { "grid" };
                svg.line(class, (place, self.bottom), (place, self.top));
            }
            if !tick.label.is_empty() {
                svg.line("axis", (place, self.bottom), (place, self.bottom + 5.0));
                svg.text("tick middle", place, self.bottom + 19.0, &tick.label);
            }
        }
    }
}
