//! A text on a terminal that is drawn in place.

use std::io;

use crate::failure::Failure;
use crate::output;
use crate::terminal;

/// A text on a terminal that is drawn in place.
#[derive(Default)]
pub(crate) struct Screen {
    /// The lines of the text that is shown.
    lines: usize,
}

/// The room for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) columns: usize,
    pub(crate) lines: usize,
}

impl Screen {
    /// True if stdout is a terminal whose cursor can be moved.
    pub(crate) fn is_there() -> bool {
        terminal::can_draw_over(&io::stdout())
    }

    /// The room that the terminal has now; without bounds where it does not tell.
    pub(crate) fn room() -> Room {
        let size = terminal::size_of(io::stdout());
        Room {
            columns: size.and_then(|size| size.columns).unwrap_or(usize::MAX),
            // The cursor stands below the text.
            lines: size.and_then(|size| size.lines).map_or(usize::MAX, |lines| lines - 1),
        }
    }

    /// Draws the text in the place of the one before. What the terminal has no room for is left
    /// out: a line that it broke, or one that it moved out, could not be drawn over.
    pub(crate) fn draw(&mut self, text: &str) -> Result<(), Failure> {
        let room = Self::room();
        let shown: Vec<_> =
            text.lines().take(room.lines).map(|line| report::cut(line, room.columns)).collect();
        // ECMA-48: CUU moves up, and ED erases to the end; DECAWM ends the breaking of lines, which a
        // terminal that has become narrower would begin.
        let back = match self.lines {
            0 => String::new(),
            lines => format!("\u{1b}[{lines}A\u{1b}[J"),
        };
        self.lines = shown.len();
        output::print(&format!("{back}\u{1b}[?7l{}\u{1b}[?7h\n", shown.join("\n")))
    }
}
