//! Names along the lower side: level if they fit, in several lines if necessary, otherwise slanted.

use super::axis::Axis;
use super::measure::{shorten, width, wrap};
use super::svg_writer::SvgWriter;

/// The font size, and the distance from one line to the next.
const SIZE: f64 = 12.0;
const LINE: f64 = 15.0;

/// Largest number of lines of a name.
const LINES: usize = 3;

/// The longest slanted name, in pixels, and the part of its length that it takes downwards.
const LONGEST: f64 = 150.0;
const SLOPE: f64 = 0.6;

/// The least room for a slanted name, in pixels.
const ROOM: f64 = 17.0;

/// The layout of the names along an axis.
#[derive(Debug)]
pub(super) struct Names {
    /// The lines of each name.
    lines: Vec<Vec<String>>,
    aslant: bool,
}

impl Names {
    /// The layout of these names, each of which has `room` pixels.
    pub(super) fn new(names: &[String], room: f64) -> Self {
        let limit = room - 8.0;
        let whole = |lines: &Vec<String>, name: &String| {
            let words: Vec<&str> = name.split_whitespace().collect();
            lines.len() <= LINES && lines.join(" ") == words.join(" ")
        };
        let level: Vec<Vec<String>> = names.iter().map(|name| wrap(name, SIZE, limit)).collect();
        if level.iter().zip(names).all(|(lines, name)| whole(lines, name)) {
            return Names { lines: level, aslant: false };
        }
        let lines = names.iter().map(|name| vec![shorten(name, SIZE, LONGEST)]).collect();
        Names { lines, aslant: true }
    }

    /// The height of the names, in pixels.
    pub(super) fn height(&self) -> f64 {
        let widest = self.lines.iter().flatten().map(|name| width(name, SIZE)).fold(0.0, f64::max);
        match self.aslant {
            true => (widest * SLOPE).ceil() + 14.0,
            false => self.lines.iter().map(Vec::len).max().unwrap_or_default() as f64 * LINE + 8.0,
        }
    }

    /// Draws the names below `bottom`, each at its place along `x`.
    pub(super) fn draw(&self, svg: &mut SvgWriter, x: &Axis, bottom: f64) {
        let room = (x.place(1.0) - x.place(0.0)).abs();
        let every = if self.lines.len() < 2 { 1 } else { (ROOM / room).ceil().max(1.0) as usize };
        for (index, lines) in self.lines.iter().enumerate().step_by(every) {
            let at = x.place(index as f64);
            svg.line("axis", (at, bottom), (at, bottom + 5.0));
            for (row, line) in lines.iter().enumerate() {
                match self.aslant {
                    true => svg.aslant("tick end", at + 4.0, bottom + 17.0, line),
                    false => svg.text("tick middle", at, bottom + 19.0 + row as f64 * LINE, line),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str], room: f64) -> Names {
        Names::new(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), room)
    }

    #[test]
    fn names_are_level_if_they_fit_and_broken_if_that_helps() {
        let short = names(&["codel", "pie"], 80.0);
        assert!(!short.aslant && short.lines == [["codel"], ["pie"]]);
        let broken = names(&["pfifo limit 100", "pie"], 80.0);
        assert!(!broken.aslant && broken.lines[0] == ["pfifo limit", "100"], "{broken:?}");
        assert!(broken.height() > short.height());
    }

    #[test]
    fn names_without_room_are_aslant_and_not_endless() {
        let many = names(&["fq_codel", "pfifo limit 100", &"long".repeat(30)], 30.0);
        assert!(many.aslant && many.lines[2][0].ends_with('…'));
        assert!(many.height() < 110.0, "{}", many.height());
    }
}
