//! A text on a terminal that is drawn in place.

use std::io;

use crate::failure::Failure;
use crate::output;

/// A text on a terminal that is drawn in place.
#[derive(Default)]
pub(crate) struct Screen {
    /// The lines of the text that is shown.
    lines: usize,
}

impl Screen {
    /// Draws the text in the place of the one before. What the terminal has no room for is left
    /// out: a line that it broke, or one that it moved out, could not be drawn over.
    pub(crate) fn draw(&mut self, text: &str) -> Result<(), Failure> {
        let rows = rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| size.ws_row);
        let room = usize::from(rows).checked_sub(1).unwrap_or(usize::MAX);
        let shown: Vec<_> = text.lines().take(room).collect();
        // ECMA-48: CUU moves up, and ED erases to the end; DECAWM ends the breaking of lines.
        let back = match self.lines {
            0 => String::new(),
            lines => format!("\u{1b}[{lines}A\u{1b}[J"),
        };
        self.lines = shown.len();
        output::print(&format!("{back}\u{1b}[?7l{}\u{1b}[?7h\n", shown.join("\n")))
    }
}
