//! The command that is run for each event.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use results::WatchEvent;

use crate::message::note;

/// The most commands at once: where each takes long, events are left out.
const MOST: usize = 4;

/// The command, and those of its runs that have not ended.
pub(super) struct Hook {
    command: String,
    runs: Vec<Child>,
}

impl Hook {
    pub(super) fn new(command: &str) -> Self {
        Self { command: command.to_owned(), runs: Vec::new() }
    }

    /// Runs the command for an event. A failure is told, and nothing else ends.
    pub(super) fn run(&mut self, event: &WatchEvent) {
        self.look();
        if self.runs.len() >= MOST {
            note("--on-event: its commands have not ended yet; it is not run for this event");
            return;
        }
        match self.start(event) {
            Ok(child) => self.runs.push(child),
            Err(error) => note(format_args!("--on-event: cannot run {}: {error}", self.command)),
        }
    }

    fn start(&self, event: &WatchEvent) -> std::io::Result<Child> {
        let mut line = serde_json::to_string(event)?;
        line.push('\n');
        let mut child = Command::new("/bin/sh")
            .args(["-c", &self.command])
            .env("UNBLOAT_EVENT", report::watch_event(event))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        // A line is shorter than the pipe has room for; one that nobody reads is lost.
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(line.as_bytes());
        }
        Ok(child)
    }

    /// Takes note of commands that have ended.
    pub(super) fn look(&mut self) {
        self.runs.retain_mut(|child| match child.try_wait() {
            Ok(Some(status)) => {
                if !status.success() {
                    note(format_args!("--on-event: the command ended with {status}"));
                }
                false
            }
            Ok(None) => true,
            Err(_) => false,
        });
    }
}
