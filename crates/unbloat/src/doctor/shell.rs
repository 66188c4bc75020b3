//! The script that asks a machine, run by the shell of this one.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use units::Span;

use crate::failure::Failure;

/// What the script prints on this machine, with this pause between its two readings of counters.
///
/// # Errors
/// If there is no shell.
pub(super) fn run(pause: Span) -> Result<String, Failure> {
    let seconds = (pause.as_nanos() / 1_000_000_000).to_string();
    let answer =
        answer(&seconds).map_err(|error| Failure::Run(format!("cannot run sh: {error}")))?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn answer(seconds: &str) -> io::Result<Vec<u8>> {
    let mut shell = Command::new("sh")
        .args(["-s", "--", seconds])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = shell.stdin.take() {
        input.write_all(survey::SCRIPT.as_bytes())?;
    }
    Ok(shell.wait_with_output()?.stdout)
}
