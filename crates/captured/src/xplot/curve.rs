//! A curve with its name: a dot at each value, and lines between them.

use super::sheet::{Colour, Mark, Place, Sheet, Side};
use units::Time;

/// A curve, as far as it has been drawn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Curve {
    latest: Option<Place>,
    is_named: bool,
}

impl Curve {
    /// Draws the next value, and the name in the middle of the first line to a value that is not zero.
    pub(super) fn extend(
        &mut self,
        sheet: &mut Sheet,
        name: &str,
        colour: Colour,
        at: Time,
        value: f64,
    ) {
        sheet.pen(colour);
        let latest = self.latest.replace((at, value));
        if let Some((before, old)) = latest
            && !self.is_named
            && value != 0.0
        {
            self.is_named = true;
            let middle = (before + at.since(before) / 2, (old + value) / 2.0);
            sheet.text(Side::Left, middle, name);
        }
        sheet.mark(Mark::Dot, (at, value));
        if let Some(latest) = latest {
            sheet.line((at, value), latest);
        }
    }
}
