//! Output of results.

use std::io::{self, IsTerminal, Write};

use report::Style;

use crate::failure::Failure;
use crate::staged;
use crate::terminal;

/// Prints the text and a line end on stdout, or on stderr if stdout is one of the written files.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    let mut stdout = io::stdout().lock();
    let written = match staged::stdout_is_taken() {
        true => write!(io::stderr(), "{text}{line_end}"),
        false => write!(stdout, "{text}{line_end}").and_then(|()| stdout.flush()),
    };
    match written {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::Closed),
        Err(error) => Err(Failure::writing("the result", &error)),
    }
}

/// The style of stdout.
pub(crate) fn style() -> Style {
    style_of(&io::stdout())
}

/// The style of stderr, for messages that look like results.
#[cfg(target_os = "linux")]
pub(crate) fn style_of_stderr() -> Style {
    style_of(&io::stderr())
}

fn style_of(stream: &impl IsTerminal) -> Style {
    if terminal::has_colours(stream) { Style::Coloured } else { Style::Plain }
}
