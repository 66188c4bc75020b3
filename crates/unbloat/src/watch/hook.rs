//! Those who are told of each event: a command, and an address.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use kernel::Clock;
use results::WatchEvent;
use serde::Serialize;
use units::Span;
use webhook::Webhook;

use crate::args::WatchArgs;
use crate::failure::Failure;
use crate::message::note;

/// The most commands at once: where each takes long, events are left out.
const MOST: usize = 4;
/// The time that the commands which run at the end are given, and the time between two looks at them.
const FAREWELL: Span = Span::from_secs(5);
const LOOK: Duration = Duration::from_millis(20);

/// Those who are told of each event. A failure is told to the user, and nothing else ends.
pub(super) struct Hooks {
    command: Option<Hook>,
    webhook: Option<Webhook>,
}

/// What an address is told of an event.
#[derive(Serialize)]
struct Posted<'a> {
    /// The sentence for people, under the name by which chats take it.
    text: String,
    #[serde(flatten)]
    event: &'a WatchEvent,
}

impl Hooks {
    /// # Errors
    /// If nothing can be posted from this machine.
    pub(super) fn new(args: &WatchArgs) -> Result<Self, Failure> {
        let webhook = args.webhook.clone().map(Webhook::start).transpose();
        Ok(Self {
            command: args.on_event.as_deref().map(Hook::new),
            webhook: webhook.map_err(|error| Failure::Run(format!("--webhook: {error}")))?,
        })
    }

    /// Tells of an event.
    pub(super) fn tell(&mut self, event: &WatchEvent) {
        self.command.iter_mut().for_each(|it| it.run(event));
        if let Some(webhook) = &self.webhook {
            let posted = Posted { text: report::watch_event(event), event };
            let document = serde_json::to_vec(&posted).expect("an event is a document");
            if !webhook.post(document) {
                note("--webhook: too many events wait; this one is not posted");
            }
        }
    }

    /// Gives what is under way some seconds, and takes note of what became of it.
    pub(super) fn end(&mut self) {
        self.command.iter_mut().for_each(Hook::end);
        for why in self.webhook.take().map(Webhook::end).unwrap_or_default() {
            note(format_args!("--webhook: {why}"));
        }
    }

    /// Takes note of what has ended.
    pub(super) fn look(&mut self) {
        self.command.iter_mut().for_each(Hook::look);
        while let Some(why) = self.webhook.as_ref().and_then(Webhook::failure) {
            note(format_args!("--webhook: {why}"));
        }
    }
}

/// The command, and those of its runs that have not ended.
struct Hook {
    command: String,
    runs: Vec<Child>,
}

impl Hook {
    fn new(command: &str) -> Self {
        Self { command: command.to_owned(), runs: Vec::new() }
    }

    /// Runs the command for an event.
    fn run(&mut self, event: &WatchEvent) {
        self.look();
        if self.runs.len() >= MOST {
            note(
                "--on-event: earlier commands have not ended yet; the command is not run for this \
                 event",
            );
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

    /// Waits some seconds for the commands that have not ended.
    #[expect(clippy::disallowed_methods, reason = "commands take real time")]
    fn end(&mut self) {
        let clock = Clock::start();
        let until = clock.now() + FAREWELL;
        self.look();
        while !self.runs.is_empty() && clock.now() < until {
            thread::sleep(LOOK);
            self.look();
        }
        if !self.runs.is_empty() {
            let runs = self.runs.len();
            note(format_args!(
                "--on-event: {runs} of its commands have not ended within {FAREWELL}"
            ));
        }
    }

    /// Takes note of commands that have ended.
    fn look(&mut self) {
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
