//! Output of results.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use report::Style;

use crate::failure::Failure;
use crate::staged;

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

/// The style of stdout: coloured on a terminal, unless `NO_COLOR` (<https://no-color.org>) or
/// `TERM=dumb` is set.
pub(crate) fn style() -> Style {
    style_of(io::stdout().is_terminal())
}

/// The style of stderr, for messages that look like results.
#[cfg(target_os = "linux")]
pub(crate) fn style_of_stderr() -> Style {
    style_of(io::stderr().is_terminal())
}

fn style_of(is_seen: bool) -> Style {
    let refused = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    if is_seen && !refused && !is_dumb() { Style::Coloured } else { Style::Plain }
}

/// True if the terminal has neither colours nor a cursor that can be moved.
pub(crate) fn is_dumb() -> bool {
    variable("TERM").is_some_and(|terminal| terminal == "dumb")
}

#[expect(clippy::disallowed_methods, reason = "decides how a result looks, never what it is")]
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
