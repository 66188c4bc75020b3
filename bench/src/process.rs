//! Other programs, run to their end.

use std::io::BufReader;
use std::process::{ChildStdout, Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// The most characters of a program's error output that are passed on.
const COMPLAINT: usize = 600;

/// Runs the program and returns its output and its processor seconds.
pub(crate) fn run(command: &mut Command) -> Result<(String, f64), String> {
    let before = children_cpu_s()?;
    let output = command.output().map_err(|error| failed(command, &error.to_string()))?;
    let cpu_s = children_cpu_s()? - before;
    match output.status.success() {
        true => Ok((String::from_utf8_lossy(&output.stdout).into_owned(), cpu_s)),
        false => Err(failed(command, &String::from_utf8_lossy(&output.stderr))),
    }
}

/// Runs the program while `read` reads its output, and returns the result of `read` and the
/// processor seconds. The error output is discarded.
pub(crate) fn read<T>(
    command: &mut Command,
    read: impl FnOnce(BufReader<ChildStdout>) -> Result<T, String>,
) -> Result<(T, f64), String> {
    let before = children_cpu_s()?;
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| failed(command, &error.to_string()))?;
    let lines = child.stdout.take().ok_or("it prints nothing".into()).map(BufReader::new);
    let result = lines.and_then(read);
    let status = child.wait().map_err(|error| failed(command, &error.to_string()))?;
    let cpu_s = children_cpu_s()? - before;
    match status.success() {
        true => Ok((result?, cpu_s)),
        false => Err(failed(command, &format!("it ended with {status}"))),
    }
}

/// The processor seconds of all children that have ended.
fn children_cpu_s() -> Result<f64, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(micros as f64 / 1e6)
}

/// An error with the end of the error output, where compilers and Python state the problem.
fn failed(command: &Command, complaint: &str) -> String {
    let program = command.get_program().to_string_lossy();
    let complaint = complaint.trim();
    let from = complaint.char_indices().rev().nth(COMPLAINT).map_or(0, |(index, _)| index);
    format!("{program} failed: {}", &complaint[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_prints_is_read_and_its_time_taken() {
        let (text, cpu_s) = run(Command::new("sh").args(["-c", "echo packets 5"])).unwrap();
        assert_eq!(text, "packets 5\n");
        assert!((0.0..10.0).contains(&cpu_s), "{cpu_s}");
    }

    #[test]
    fn a_failure_has_its_complaint() {
        let error = run(Command::new("sh").args(["-c", "echo no such queue >&2; exit 1"]));
        assert_eq!(error.unwrap_err(), "sh failed: no such queue");
        let error = read(Command::new("sh").args(["-c", "exit 3"]), |_| Ok(())).unwrap_err();
        assert!(error.contains('3'), "{error}");
        assert!(run(&mut Command::new("/nonexistent")).is_err());
    }
}
