//! Messages on stderr, which are not results. Failures to write them are ignored.

use std::fmt;
use std::io::{self, Write};

/// Writes a message to stderr. Control characters are replaced, so that names from outside cannot
/// paint the terminal.
pub(crate) fn note(text: impl fmt::Display) {
    let text = text.to_string();
    let lines: Vec<String> = text.split('\n').map(report::printable).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}

/// Writes our own text to stderr as it is; it may be coloured and is printable already.
#[cfg(target_os = "linux")]
pub(crate) fn tell(text: &str) {
    let _ = write!(io::stderr(), "{text}");
}
