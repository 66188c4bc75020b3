//! The drawing of maps: cells whose colour is a value, and the bar that explains the colours.

use super::axis::{Axes, Axis};
use super::measure::width;
use super::range::AxisRange;
use super::sample::shown;
use super::svg_writer::SvgWriter;
use crate::figure::{Colours, Curve, Figure};
use crate::number::significant;
use crate::palette::{is_dark, ramp};

/// The font sizes of the values in the cells, and of the title of the bar.
const VALUE: f64 = 12.0;
const NAME: f64 = 13.0;

/// The width and height of the bar, its number of strips, and the height of the bar with its
/// numbers.
const BAR: (f64, f64) = (300.0, 12.0);
const STRIPS: u32 = 60;
const ROOM: f64 = 40.0;

/// The bar that explains the colours.
#[derive(Debug)]
pub(super) struct Bar<'a>(&'a Colours);

impl<'a> Bar<'a> {
    /// The bar of the first map in `figure`; `None` if there is no map.
    pub(super) fn of(figure: &'a Figure) -> Option<Self> {
        figure.curves.iter().find_map(|curve| curve.colours.as_ref()).map(Bar)
    }

    /// The height of the bar, in pixels.
    pub(super) fn height(&self) -> f64 {
        ROOM
    }

    /// Draws the bar below and to the right of (`left`, `top`), at most `limit` pixels wide.
    pub(super) fn draw(&self, svg: &mut SvgWriter, left: f64, top: f64, limit: f64) {
        let title = self.axis((0.0, 1.0)).title();
        let from = left + width(&title, NAME) + 14.0;
        let to = (from + BAR.0).min(left + limit - 12.0);
        svg.raw("<g class=\"legend\">\n").text("name", left, top + 15.0, &title);
        if to - from < 60.0 {
            svg.raw("</g>\n");
            return;
        }
        let strip = (to - from) / f64::from(STRIPS);
        for index in 0..STRIPS {
            // The strips overlap a little, so that the background is not seen between them.
            let more = if index + 1 < STRIPS { 0.6 } else { 0.0 };
            let at = from + f64::from(index) * strip;
            let part = (f64::from(index) + 0.5) / f64::from(STRIPS);
            rectangle(svg, (at, top + 4.0), (strip + more, BAR.1), &ramp(part));
        }
        let axis = self.axis((from, to));
        // The numbers of the bar may be closer together than those below a plot.
        for tick in axis.columns(2.0 * (to - from)) {
            if !tick.label.is_empty() {
                svg.line(
                    "axis",
                    (axis.place(tick.value), top + 16.0),
                    (axis.place(tick.value), top + 20.0),
                );
                svg.text("tick middle", axis.place(tick.value), top + 32.0, &tick.label);
            }
        }
        svg.raw("</g>\n");
    }

    fn axis(&self, pixels: (f64, f64)) -> Axis {
        Axis::new(&self.0.axis, range(self.0), pixels)
    }
}

/// The range of values that the colours show; a single value is in the middle of it.
fn range(colours: &Colours) -> AxisRange {
    let both = [colours.from, colours.to].into_iter();
    let shown = both.filter(|value| shown(colours.axis.scale, *value).is_some());
    AxisRange::of(shown).unwrap_or(AxisRange { low: 1.0, high: 1.0 }).opened(colours.axis.scale)
}

/// Draws the cells of a map, with their values if there is room.
pub(super) fn draw(svg: &mut SvgWriter, of: &Curve, axes: Axes<'_>) {
    let Axes { x, y } = axes;
    let Some(colours) = &of.colours else { return };
    let scale = Axis::new(&colours.axis, range(colours), (0.0, 1.0));
    for ((right, up), value) in of.x.iter().zip(&of.y).zip(&of.value) {
        let Some(up) = up else { continue };
        let (left, top) = (x.place(right - 0.5), y.place(up + 0.5));
        let size = (x.place(right + 0.5) - left, y.place(up - 0.5) - top);
        let shown = value.filter(|value| shown(colours.axis.scale, *value).is_some());
        let part = shown.map(|value| scale.place(value));
        if let Some(part) = part {
            // Large cells have a thin line of background between them.
            let gap = if size.0.min(size.1) > 8.0 { 1.0 } else { 0.0 };
            rectangle(svg, (left, top), (size.0 - gap, size.1 - gap), &ramp(part));
        }
        let text = shown.map_or("–".to_owned(), significant);
        if width(&text, VALUE) + 8.0 <= size.0 && size.1 >= 17.0 {
            let class = match part {
                Some(part) if is_dark(part) => "tick middle on-dark",
                Some(_) => "tick middle on-light",
                None => "tick middle",
            };
            svg.text(class, left + size.0 / 2.0, top + size.1 / 2.0 + 4.2, &text);
        }
    }
}

fn rectangle(svg: &mut SvgWriter, at: (f64, f64), size: (f64, f64), colour: &str) {
    svg.raw("<rect").attribute("x", at.0).attribute("y", at.1).attribute("width", size.0);
    svg.attribute("height", size.1).raw(" fill=\"").raw(colour).raw("\"/>\n");
}
