//! Maps: fields whose colour is a value, and the bar that says which.

use super::axis::Axis;
use super::ink::Ink;
use super::measure::width;
use super::plot::columns;
use super::range::Range;
use super::sample::shown;
use crate::figure::{Colours, Curve, Figure};
use crate::number::significant;
use crate::palette::{is_dark, ramp};

/// The font size of the values in the fields, and of the numbers at the bar.
const VALUE: f64 = 12.0;
const NAME: f64 = 13.0;

/// How wide and how high the bar is, of how many strips it is made, and what it takes with all.
const BAR: (f64, f64) = (300.0, 12.0);
const STRIPS: u32 = 60;
const ROOM: f64 = 40.0;

/// What says which colour is which value.
#[derive(Debug)]
pub(super) struct Bar<'a>(&'a Colours);

impl<'a> Bar<'a> {
    /// That of the first map in `figure`, if there is one.
    pub(super) fn of(figure: &'a Figure) -> Option<Self> {
        figure.curves.iter().find_map(|curve| curve.colours.as_ref()).map(Bar)
    }

    /// How much room it takes.
    pub(super) fn height(&self) -> f64 {
        ROOM
    }

    /// Draws it below and to the right of (`left`, `top`), at most `limit` pixels wide.
    pub(super) fn draw(&self, ink: &mut Ink, left: f64, top: f64, limit: f64) {
        let title = self.axis((0.0, 1.0)).title();
        let from = left + width(&title, NAME) + 14.0;
        let to = (from + BAR.0).min(left + limit - 12.0);
        ink.raw("<g class=\"legend\">\n").text("name", left, top + 15.0, &title);
        if to - from < 60.0 {
            ink.raw("</g>\n");
            return;
        }
        let strip = (to - from) / f64::from(STRIPS);
        for index in 0..STRIPS {
            // A little wider: no ground is seen between two of them.
            let more = if index + 1 < STRIPS { 0.6 } else { 0.0 };
            let at = from + f64::from(index) * strip;
            let part = (f64::from(index) + 0.5) / f64::from(STRIPS);
            rectangle(ink, (at, top + 4.0), (strip + more, BAR.1), &ramp(part));
        }
        let axis = self.axis((from, to));
        // Its numbers may be closer than those below a plot.
        for tick in columns(&axis, 2.0 * (to - from)) {
            if !tick.label.is_empty() {
                ink.line(
                    "axis",
                    (axis.place(tick.value), top + 16.0),
                    (axis.place(tick.value), top + 20.0),
                );
                ink.text("tick middle", axis.place(tick.value), top + 32.0, &tick.label);
            }
        }
        ink.raw("</g>\n");
    }

    fn axis(&self, pixels: (f64, f64)) -> Axis {
        Axis::new(&self.0.axis, range(self.0), pixels)
    }
}

/// From where to where the colours go; one value alone is in the middle of them.
fn range(colours: &Colours) -> Range {
    let both = [colours.from, colours.to].into_iter();
    let shown = both.filter(|value| shown(colours.axis.scale, *value).is_some());
    Range::of(shown).unwrap_or(Range { low: 1.0, high: 1.0 }).opened(colours.axis.scale)
}

/// Draws the fields of a map with their values, where there is room for them.
pub(super) fn draw(ink: &mut Ink, of: &Curve, (x, y): (&Axis, &Axis)) {
    let Some(colours) = &of.colours else { return };
    let scale = Axis::new(&colours.axis, range(colours), (0.0, 1.0));
    for ((right, up), value) in of.x.iter().zip(&of.y).zip(&of.value) {
        let Some(up) = up else { continue };
        let (left, top) = (x.place(right - 0.5), y.place(up + 0.5));
        let size = (x.place(right + 0.5) - left, y.place(up - 0.5) - top);
        let shown = value.filter(|value| shown(colours.axis.scale, *value).is_some());
        let part = shown.map(|value| scale.place(value));
        if let Some(part) = part {
            // A hair of ground between fields that are large enough.
            let gap = if size.0.min(size.1) > 8.0 { 1.0 } else { 0.0 };
            rectangle(ink, (left, top), (size.0 - gap, size.1 - gap), &ramp(part));
        }
        let text = shown.map_or("–".to_owned(), significant);
        if width(&text, VALUE) + 8.0 <= size.0 && size.1 >= 17.0 {
            let class = match part {
                Some(part) if is_dark(part) => "tick middle on-dark",
                Some(_) => "tick middle on-light",
                None => "tick middle",
            };
            ink.text(class, left + size.0 / 2.0, top + size.1 / 2.0 + 4.2, &text);
        }
    }
}

fn rectangle(ink: &mut Ink, at: (f64, f64), size: (f64, f64), colour: &str) {
    ink.raw("<rect").attribute("x", at.0).attribute("y", at.1).attribute("width", size.0);
    ink.attribute("height", size.1).raw(" fill=\"").raw(colour).raw("\"/>\n");
}
