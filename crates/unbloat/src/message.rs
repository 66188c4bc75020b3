//! Messages on stderr, which are not results. Failures to write them are ignored.

use std::fmt;
use std::io::{self, Write};

use crate::terminal;

/// Writes a message to stderr. Control characters are replaced, so that names from outside cannot
/// paint the terminal. On a terminal, its lines are broken between words.
pub(crate) fn note(text: impl fmt::Display) {
    let text = text.to_string();
    let columns = terminal::columns_of_stderr();
    let line = |line: &str| match columns {
        Some(columns) => broken(&report::printable(line), columns),
        None => report::printable(line),
    };
    let lines: Vec<String> = text.split('\n').map(line).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}

/// Writes an error of the command line to stderr, with its colours where they are seen, and with its
/// long lines broken between words.
pub(crate) fn refuse(error: &clap::Error) {
    let text = match terminal::has_colours(&io::stderr()) {
        true => error.render().ansi().to_string(),
        false => error.render().to_string(),
    };
    let columns = terminal::columns_of_stderr().unwrap_or(usize::MAX);
    let is_prose = |line: &str| !line.starts_with(' ');
    let line = |line: &str| match is_prose(line) {
        true => report::wrap_within(line, "", columns),
        false => line.to_owned(),
    };
    let lines: Vec<String> = text.trim_end().lines().map(line).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}

/// The line in lines of at most so many columns. One that begins with blank space or a number shows a
/// command, a list or a place in a file, and stays whole.
fn broken(line: &str, columns: usize) -> String {
    let is_prose = line.starts_with(char::is_alphabetic);
    if is_prose { report::wrap_within(line, "", columns) } else { line.to_owned() }
}

/// Writes our own text to stderr as it is; it may be coloured and is printable already.
#[cfg(target_os = "linux")]
pub(crate) fn tell(text: &str) {
    let _ = write!(io::stderr(), "{text}");
}
