//! Programs in namespaces.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};

use lab::Namespace;

use crate::machine;

/// A program that runs until this is dropped.
pub(crate) struct Background {
    child: Child,
    /// The program's stderr, held open, so that writing to it does not end the program.
    _complaints: Option<BufReader<ChildStderr>>,
}

impl Background {
    /// Starts a program that prints a line on stderr when it is ready, and waits for that line.
    pub(crate) fn that_speaks(
        namespace: &Namespace,
        command: &mut Command,
    ) -> Result<Self, String> {
        let program = command.get_program().to_string_lossy().into_owned();
        let wrong = |error: std::io::Error| format!("{program}: {error}");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = start(namespace, command)?;
        let stderr = child.stderr.take().ok_or_else(|| format!("{program} has no stderr"))?;
        let mut complaints = BufReader::new(stderr);
        let mut line = String::new();
        complaints.read_line(&mut line).map_err(wrong)?;
        let mut this = Self { child, _complaints: None };
        // A program that has ended has printed the reason instead, and did not begin.
        if line.is_empty() || this.child.try_wait().map_err(wrong)?.is_some() {
            let _ = complaints.read_to_string(&mut line);
            return Err(format!("{program} has not begun: {}", line.trim()));
        }
        this._complaints = Some(complaints);
        Ok(this)
    }

    /// Starts a program without reading its output.
    pub(crate) fn silent(namespace: &Namespace, command: &mut Command) -> Result<Self, String> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { child: start(namespace, command)?, _complaints: None })
    }

    /// The most memory that the program has held so far, in 10^6 bytes; 0 if it is gone.
    pub(crate) fn peak_rss_mb(&self) -> f64 {
        machine::peak_rss_mb_of(&self.child.id().to_string()).unwrap_or_default()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // The program has nothing to lose, and may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a program to its end and returns its output.
pub(crate) fn output(namespace: &Namespace, command: &mut Command) -> Result<Vec<u8>, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let program = command.get_program().to_string_lossy().into_owned();
    let output = start(namespace, command)?.wait_with_output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!(
            "{program} ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

fn start(namespace: &Namespace, command: &mut Command) -> Result<Child, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let child = namespace.run(|| command.spawn()).and_then(|child| child);
    child.map_err(|error| format!("{program}: {error}"))
}
