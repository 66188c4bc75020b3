//! What curves are drawn upon: lines across, numbers along the sides, and what they measure.

use super::axis::Axis;
use super::ink::Ink;
use super::names::Names;
use super::ticks::Tick;

/// What the numbers along the lower side take.
pub(super) const NUMBERS: f64 = 23.0;

/// The sides of the area that is for curves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Where it starts to the right.
    pub left: f64,
    /// Where it ends to the right.
    pub right: f64,
    /// Where it starts downwards.
    pub top: f64,
    /// Where it ends downwards.
    pub bottom: f64,
}

impl Frame {
    /// Draws both axes with their ticks.
    pub(super) fn draw(
        &self,
        ink: &mut Ink,
        x: (&Axis, &[Tick]),
        y: (&Axis, &[Tick]),
        names: Option<&Names>,
    ) {
        self.rows(ink, y.0, y.1);
        let foot = match names {
            Some(names) => {
                names.draw(ink, x.0, self.bottom);
                names.height()
            }
            None => {
                self.columns(ink, x.0, x.1);
                NUMBERS
            }
        };
        let middle = (self.left + self.right) / 2.0;
        ink.text("name middle", middle, self.bottom + foot + 19.0, &x.0.title());
        let base = y.0.base();
        ink.line("axis", (self.left, base), (self.right, base));
    }

    /// Lines across, with numbers before them.
    fn rows(&self, ink: &mut Ink, y: &Axis, ticks: &[Tick]) {
        for tick in ticks {
            let place = y.place(tick.value);
            if !y.is_named() {
                let class = if tick.label.is_empty() { "grid minor" } else { "grid" };
                ink.line(class, (self.left, place), (self.right, place));
            }
            if !tick.label.is_empty() {
                ink.text("tick end", self.left - 10.0, place + 4.2, &tick.label);
            }
        }
        ink.text("name", 24.0, self.top - 16.0, &y.title());
    }

    /// Marks along the lower side, with numbers below them; lines upwards where distances are
    /// factors.
    fn columns(&self, ink: &mut Ink, x: &Axis, ticks: &[Tick]) {
        for tick in ticks {
            let place = x.place(tick.value);
            if x.is_log() {
                let class = if tick.label.is_empty() { "grid minor" } else { "grid" };
                ink.line(class, (place, self.bottom), (place, self.top));
            }
            if !tick.label.is_empty() {
                ink.line("axis", (place, self.bottom), (place, self.bottom + 5.0));
                ink.text("tick middle", place, self.bottom + 19.0, &tick.label);
            }
        }
    }
}
